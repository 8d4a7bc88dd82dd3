const PARTS = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH|HEADERS/i;

/** Whether the name of a variable tells of a secret; the engine has the same rule for what it keeps. */
export function isSecret(name: string): boolean {
  return PARTS.test(name);
}
