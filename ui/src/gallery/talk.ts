import type { EntryBody } from '../generated/wire';
import { aCommand, aTool, turnEnded } from '../testing/builders';

const report = `## What I found

The routes are in \`src/routes.rs\`. Two things stand out:

1. There is **no session table** yet, so a cookie would have nowhere to live.
2. The gateway *already* validates tokens — see [its own notes](https://example.org/gateway/tokens).

| Way | Revocable | Work |
| --- | :---: | ---: |
| OAuth 2.0 | yes | two days |
| JWT | no | half a day |
| Session cookie | yes | a day |

\`\`\`rust
/// Signs a user in, or says why not.
pub async fn login(State(desk): State<Desk>, form: Form<Login>) -> Result<Redirect, Refused> {
    let person = desk.people.by_name(&form.name).await?; // 404 is no hint
    if person.tries > 5 { return Err(Refused::TooOften); }
    Ok(Redirect::to("/"))
}
\`\`\`

> A token that cannot be taken back is a key that cannot be changed.

- [x] Read the gateway
- [ ] Decide on a way
- [ ] Write the migration`;

const diff = `@@ -12,7 +12,9 @@
 pub fn routes() -> Router {
     Router::new()
         .route("/health", get(health))
-        .route("/items", get(items))
+        .route("/login", post(login))
+        .route("/logout", post(logout))
+        .route("/items", get(items).layer(signed_in()))
         .with_state(desk())
 }
`;

/** One entry of every kind that a transcript can hold. */
export const richBodies: EntryBody[] = [
  { kind: 'user', text: 'Add authentication to the API.\nKeep the public routes public.', attachments: [] },
  { kind: 'thinking', text: 'The routes are in src/routes.rs. I should look there first, then at the gateway.' },
  { kind: 'agent', text: report },
  aTool({
    toolUse: 't1',
    name: 'TodoWrite',
    toolKind: 'think',
    summary: '3 things to do',
    detail: {
      detail: 'todos',
      items: [
        { text: 'Read the gateway', status: 'done' },
        { text: 'Add the login route', status: 'in_progress' },
        { text: 'Write the migration', status: 'pending' },
      ],
    },
  }),
  aCommand('cargo test --workspace --all-features -- --nocapture', {
    toolUse: 't2',
    status: 'failed',
    output: 'running 42 tests\ntest login::refuses_a_wrong_password ... FAILED\n\nerror: 1 test failed',
  }),
  aTool({
    toolUse: 't3',
    name: 'Edit',
    toolKind: 'edit',
    summary: 'src/routes.rs',
    detail: { detail: 'edit', path: '/home/ada/projects/api/src/routes.rs', diff },
    output: 'The file was updated.',
  }),
  aTool({
    toolUse: 't4',
    name: 'Write',
    toolKind: 'edit',
    summary: 'migrations/004_sessions.sql',
    detail: {
      detail: 'write',
      path: '/home/ada/projects/api/migrations/004_sessions.sql',
      content: 'CREATE TABLE sessions (\n  id TEXT PRIMARY KEY,\n  person INTEGER NOT NULL REFERENCES people(id)\n);\n',
    },
  }),
  aTool({
    toolUse: 't5',
    name: 'Grep',
    toolKind: 'search',
    summary: 'fn login',
    detail: { detail: 'other', input: '{\n  "pattern": "fn login"\n}' },
    status: 'running',
  }),
  { kind: 'notice', notice: { notice: 'same_text_joined', text: 'Which one?' } },
  { ...turnEnded, millis: 92_300, inputTokens: 48_120, outputTokens: 3_204, costUsd: 0.1834 },
  { kind: 'user', text: 'Go on.', attachments: [] },
  { kind: 'notice', notice: { notice: 'question_turned_off', policy: 'never', text: 'Which store should hold the sessions?' } },
  { ...turnEnded, millis: 4_100, error: 'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}' },
];
