//! Rules for the page: one module talks to the shell, one file names colors, and imports go down the tiers.

use super::{Problem, tree::Source};

const PAGE: &str = "ui/src/";
/// The only module that may talk to the shell.
const BRIDGE: &str = "ui/src/platform/bridge.ts";
/// The only file that may name a color.
const TOKENS: &str = "ui/src/shared/tokens.css";
const SHELL: &str = "@tauri-apps/";
/// What tests may import to stand in for the shell.
const SHELL_MOCKS: &str = "@tauri-apps/api/mocks";
/// Functions of CSS that make a color out of numbers.
const COLOUR_FUNCTIONS: [&str; 8] = ["rgb(", "rgba(", "hsl(", "hsla(", "hwb(", "lab(", "lch(", "oklch("];

/// The folders of the page, lowest first. A file imports from its own tier or a lower one.
const TIERS: [&str; 7] = ["generated", "platform", "shared", "entities", "store", "feature", "view"];
/// The tier whose folders do not import each other; `view` puts them together.
const FEATURES: &str = "feature";

/// Lists what is wrong with a file of the page.
pub fn problems(file: &Source) -> Vec<Problem> {
    if !file.path.starts_with(PAGE) || file.is_generated() {
        return Vec::new();
    }
    let mut problems = Vec::new();
    let mut in_style = file.kind() == "css";
    for (index, line) in file.text.lines().enumerate() {
        let at = || format!("{}:{}", file.path, index + 1);
        if file.path != BRIDGE && imports_shell(line, file.is_test()) {
            problems.push(Problem::new(at(), format!("imports {SHELL}…; only {BRIDGE} may, go through it")));
        }
        if let Some(problem) = import_across_tiers(&file.path, line) {
            problems.push(Problem::new(at(), problem));
        }
        if file.kind() == "svelte" {
            in_style = (in_style || line.contains("<style")) && !line.contains("</style");
        }
        if file.path != TOKENS
            && !file.is_test()
            && let Some(colour) = colour_in(line, in_style)
        {
            problems
                .push(Problem::new(at(), format!("names the colour {colour}; give it a token in {TOKENS}")));
        }
    }
    problems
}

fn imports_shell(line: &str, in_test: bool) -> bool {
    line.match_indices(SHELL).any(|(at, _)| {
        let quoted = line[..at].ends_with(['"', '\'', '`']);
        quoted && !(in_test && line[at..].starts_with(SHELL_MOCKS))
    })
}

/// Finds an import of a higher tier, or of one feature by another.
fn import_across_tiers(path: &str, line: &str) -> Option<String> {
    let from: Vec<&str> = path.strip_prefix(PAGE)?.split('/').collect();
    let own = tier_of(&from)?;
    let to = imported(&from, line)?;
    let other = tier_of(&to)?;
    if other > own {
        return Some(format!("imports {}/… from the lower tier {}", TIERS[other], TIERS[own]));
    }
    let across = TIERS[own] == FEATURES && other == own && to.get(1) != from.get(1);
    across.then(|| {
        format!("imports the feature {} from the feature {}; put them together in view", to[1], from[1])
    })
}

fn tier_of(path: &[&str]) -> Option<usize> {
    TIERS.iter().position(|tier| path.len() > 1 && path.first() == Some(tier))
}

/// The path below the page's folder that a line imports relative to its file.
fn imported<'a>(from: &[&'a str], line: &'a str) -> Option<Vec<&'a str>> {
    let (_, after) = line.split_once("from '").or_else(|| line.split_once("import('"))?;
    let (spec, _) = after.split_once('\'')?;
    if !spec.starts_with('.') {
        return None;
    }
    let mut path = from[..from.len() - 1].to_vec();
    for part in spec.split('/') {
        match part {
            "." => {}
            ".." => drop(path.pop()),
            part => path.push(part),
        }
    }
    Some(path)
}

/// Finds a colour written out. Outside of styles only a quoted `#abc` is one: `{#each}` and "#12" are not.
fn colour_in(line: &str, in_style: bool) -> Option<String> {
    let function = COLOUR_FUNCTIONS.iter().find(|function| {
        line.match_indices(**function).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            // Relative colours (`rgb(from var(--x) …)`) and mixes of tokens name none themselves.
            let of_a_token = line[at + function.len()..].trim_start().starts_with("from var(");
            !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-' || c == '.') && !of_a_token
        })
    });
    if let Some(function) = function {
        return Some(format!("{function}…)"));
    }
    line.match_indices('#').find_map(|(at, _)| {
        let digits: String = line[at + 1..].chars().take_while(char::is_ascii_hexdigit).collect();
        let after = line[at + 1 + digits.len()..].chars().next();
        let whole = !after.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-');
        let is_hex = whole && matches!(digits.len(), 3 | 4 | 6 | 8);
        let before = line[..at].chars().next_back();
        let placed = match before {
            Some('"' | '\'' | '`') => true,
            Some(' ' | ',' | '(' | ':') => in_style && line[..at].contains(':'),
            _ => false,
        };
        (is_hex && placed).then(|| format!("#{digits}"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::check_rule;
    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        check_rule(problems, path, text, expected);
    }

    #[test]
    fn one_module_talks_to_the_shell() {
        let import = "import { invoke } from \"@tauri-apps/api/core\";";
        check(BRIDGE, import, &[]);
        check("ui/src/panel/panel.ts", import, &["panel.ts:1: imports"]);
        check("ui/src/panel/panel.test.ts", import, &["imports"]);
        check(
            "ui/src/panel/Panel.svelte",
            "const core = await import('@tauri-apps/api/core');",
            &["imports"],
        );
        check("ui/src/panel/panel.ts", "// goes to @tauri-apps/api in the end", &[]);
        check("ui/src/panel/panel.test.ts", "import { mockIPC } from \"@tauri-apps/api/mocks\";", &[]);
    }

    #[test]
    fn imports_go_down_the_tiers() {
        let store = "import { useView } from '../store/context';";
        check("ui/src/shared/words.ts", store, &["words.ts:1: imports store/… from the lower tier shared"]);
        let up = "} from '../../store/store.svelte';";
        check("ui/src/entities/tool/a.ts", up, &["imports store/…"]);
        check("ui/src/store/sync/drafts.ts", "export * from '../../view/later';", &["imports view/…"]);
        check("ui/src/entities/tool/a.ts", "import { t } from 'svelte';", &[]);
        for file in ["view/App.svelte", "store/frames.ts", "main.ts", "testing/desk.ts"] {
            check(&format!("ui/src/{file}"), store, &[]);
        }
    }

    #[test]
    fn features_do_not_import_each_other() {
        let inbox = "ui/src/feature/inbox/Inbox.svelte";
        let says = "imports the feature palette from the feature inbox";
        check(inbox, "import { matching } from '../palette/match';", &[says]);
        check(inbox, "import('../palette/Palette.svelte')", &[says]);
        check(inbox, "import { matching } from './match';", &[]);
        check(inbox, "import { t } from '../../shared/messages';", &[]);
        check("ui/src/view/App.svelte", "import Palette from '../feature/palette/Palette.svelte';", &[]);
    }

    #[test]
    fn colours_stand_in_one_file() {
        check(TOKENS, ":root { --ink: #1a2b3c; }", &[]);
        check("ui/src/app.css", "a { color: #1a2b3c; }", &["#1a2b3c"]);
        check("ui/src/app.css", "a { background: rgba(0, 0, 0, 0.5); }", &["rgba("]);
        let style = "<style>\n  a { border: 1px solid #abc; }\n</style>";
        check("ui/src/A.svelte", style, &["A.svelte:2: names the colour #abc"]);
        check("ui/src/A.svelte", "<path fill=\"#fff\" />", &["#fff"]);
        check("ui/src/a.ts", "const ink = '#ffeedd';", &["#ffeedd"]);
    }

    #[test]
    fn what_only_looks_like_a_colour_is_fine() {
        check("ui/src/A.svelte", "{#each options as option}\n{#if bad}\n<a href=\"#main\">", &[]);
        check("ui/src/a.ts", "// see #123\nconst label = `question #${number}`;", &[]);
        check("ui/src/app.css", "#add { color: var(--ink); }", &[]);
        check("ui/src/app.css", "a { color: rgb(from var(--ink) r g b / 50%); }", &[]);
    }
}
