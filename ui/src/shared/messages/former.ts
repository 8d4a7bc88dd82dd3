/** English texts of earlier versions that past sessions still store as the agent's own. */
export const former: Readonly<Record<string, string>> = {
  'mode.plan': 'Plan only',
  'mode.default': 'Ask before each change',
  'mode.bypass': 'Never ask (bypass)',
  'mode_hint.plan': 'It reads and plans, and changes nothing before you approve.',
  'mode_hint.default': 'It asks before it changes a file or runs a command.',
  'mode_hint.accept_edits': 'It changes files in the folder without asking; commands are still asked for.',
  'mode_hint.bypass': 'It does everything at once, without asking for any permission.',
  'effort.low': 'low',
  'effort.medium': 'medium',
  'effort.high': 'high',
  'effort.xhigh': 'extra high',
  'effort.max': 'as much as it can',
};
