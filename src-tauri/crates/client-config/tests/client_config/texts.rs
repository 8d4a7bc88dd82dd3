//! Files as users have them.

use askdesk_contract::Client;

pub fn servers(client: Client) -> &'static str {
    match client {
        Client::OpenCode => "mcp",
        Client::VsCode => "servers",
        Client::Zed => "context_servers",
        Client::Codex => "mcp_servers",
        _ => "mcpServers",
    }
}

/// Sample files of a client, each with a name for assertion messages.
pub fn texts(client: Client) -> Vec<(&'static str, String)> {
    let texts: &[(&str, &str)] = if client == Client::Codex { TOML } else { JSON };
    let text = |(name, text): &(&'static str, &str)| (*name, text.replace("SERVERS", servers(client)));
    let mut texts: Vec<_> = texts.iter().map(text).collect();
    let of = |wanted: &str| texts.iter().find(|(name, _)| *name == wanted).unwrap().1.clone();
    let (commented, plain) = (of("comments"), of("plain"));
    texts.push(("CRLF", commented.replace('\n', "\r\n")));
    texts.push(("a mark at the beginning", format!("\u{feff}{plain}")));
    texts.push(("a mark and CRLF", format!("\u{feff}{}", plain.replace('\n', "\r\n"))));
    texts.push(("tabs", plain.replace("    ", "\t\t").replace("  ", "\t")));
    texts.push(("four spaces", plain.replace("  ", "    ")));
    texts.push(("no line end at the end", plain.trim_end().to_owned()));
    texts.push(("line ends of both kinds", commented.replacen('\n', "\r\n", 3)));
    texts.push(("empty", String::new()));
    texts.push(("blank lines alone", "\n\n".to_owned()));
    texts
}

const JSON: &[(&str, &str)] = &[
    (
        "plain",
        r#"{
  "theme": "dark",
  "SERVERS": {
    "github": {
      "command": "npx",
      "args": ["-y", "server-github"],
      "env": { "GITHUB_TOKEN": "ghp_example" }
    },
    "docs": { "url": "https://docs.example/mcp" }
  },
  "numbers": [1, 2.50, 1e3, 12345678901234567890]
}
"#,
    ),
    (
        "comments",
        r#"// My settings. Do not touch the order!
{
  /* what it looks like */
  "theme": "dark", // and stays
  "SERVERS": {
    // work
    "github": {
      "command": "npx", "args": ["-y", "server-github",], // pinned elsewhere
    },

    /* "old": { "command": "old" }, */
    "docs": { "url": "https://docs.example/mcp" }, // read only
  },
  "last": null, /* end */
}
// eof
"#,
    ),
    ("no servers yet", "{\n  \"telemetry\": false,\n  \"nested\": { \"a\": { \"b\": [ {}, [] ] } }\n}\n"),
    ("no servers, a trailing comma", "{\n\t\"telemetry\": false,\n}\n"),
    ("an empty list of servers", "{ \"SERVERS\": {} }\n"),
    ("servers with a comment alone", "{\n  \"SERVERS\": {\n    // none yet\n  }\n}\n"),
    ("an empty object", "{}"),
    ("an empty object with room", "{\n\n}\n"),
    ("one line", r#"{"SERVERS":{"docs":{"url":"https://docs.example/mcp"}},"theme":"dark"}"#),
    ("a comment alone", "// nothing here yet\n"),
    (
        "odd names",
        "{\n  \"\\u0053\": \"\u{2028}💡\", \"\": { \"__proto__\": {} }, \"SERVERS\": { \"a.b/c\": {} }\n}",
    ),
];

const TOML: &[(&str, &str)] = &[
    (
        "plain",
        r#"model = "gpt-5.2-codex"
approval_policy = "on-request"

[mcp_servers.github]
command = "npx"
args = ["-y", "server-github"]

[mcp_servers.github.env]
GITHUB_TOKEN = "ghp_example"

[projects."/srv/shop"]
trust_level = "trusted"
"#,
    ),
    (
        "comments",
        r#"# My settings. Do not touch the order!
model = "gpt-5.2-codex"   # and stays
notify = [
    "notify-send", # desktop
    'Codex',
]

[mcp_servers] # servers
docs = { url = "https://docs.example/mcp" } # read only

# [mcp_servers.old]
# command = "old"

[tui]
notifications = true
text = """
two
lines"""
# eof
"#,
    ),
    (
        "servers in one line",
        "mcp_servers = { docs = { url = \"https://docs.example/mcp\" } }\nmodel = \"x\"\n",
    ),
    (
        "names with dots",
        "mcp_servers.docs.url = \"https://docs.example/mcp\"\n\n[tui]\nnotifications = false\n",
    ),
    ("no servers yet", "model = \"x\"\n"),
    ("a comment alone", "# nothing here yet\n"),
    ("lists of tables", "[[rows.a]]\nrun = 1\n\n[[rows.a]]\nrun = 2\n"),
];
