PRAGMA user_version = 1;
CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL,
        body TEXT NOT NULL,
        session TEXT
    ) STRICT;
CREATE INDEX events_by_session ON events (session);
CREATE TABLE set_aside (
        seq INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        session TEXT,
        body TEXT NOT NULL,
        told INTEGER NOT NULL DEFAULT 0
    ) STRICT;
CREATE TABLE requests (
        id TEXT PRIMARY KEY,
        session TEXT NOT NULL,
        asked_at INTEGER NOT NULL,
        body TEXT NOT NULL,
        outcome TEXT,
        ended_at INTEGER,
        delivery TEXT
    ) STRICT, WITHOUT ROWID;
CREATE INDEX requests_by_session ON requests (session, asked_at);
CREATE TABLE approvals (
        id TEXT PRIMARY KEY,
        session TEXT NOT NULL,
        body TEXT NOT NULL,
        state TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE drafts (
        about TEXT PRIMARY KEY,
        session TEXT NOT NULL,
        saved_at INTEGER NOT NULL,
        has_words INTEGER NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
CREATE INDEX drafts_by_age ON drafts (saved_at, about);
CREATE TABLE entries (
        session TEXT NOT NULL,
        n INTEGER NOT NULL,
        at INTEGER NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (session, n)
    ) STRICT, WITHOUT ROWID;
CREATE INDEX turns ON entries (at) WHERE substr(body, 1, 20) = '{"kind":"turn_ended"';
CREATE TABLE turns_of_deleted (
        at INTEGER NOT NULL,
        input_tokens INTEGER NOT NULL,
        output_tokens INTEGER NOT NULL,
        cached_tokens INTEGER NOT NULL,
        cost_nanos INTEGER
    ) STRICT;
CREATE INDEX turns_of_deleted_by_time ON turns_of_deleted (at);
CREATE TABLE passed_budgets (
        day TEXT NOT NULL,
        dollars INTEGER NOT NULL,
        PRIMARY KEY (day, dollars)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE searched (
        id INTEGER PRIMARY KEY,
        session TEXT NOT NULL,
        n INTEGER NOT NULL,
        at INTEGER NOT NULL,
        kind TEXT NOT NULL,
        about TEXT,
        UNIQUE (session, n)
    ) STRICT;
CREATE INDEX searched_by_about ON searched (about) WHERE about IS NOT NULL;
CREATE TABLE unswept (session TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (
        text, tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc' separators '︎️'", content = '', contentless_delete = 1
    );
CREATE VIRTUAL TABLE even_words USING fts5 (
        text, tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc' separators '︎️'", content = '', contentless_delete = 1
    );
CREATE VIRTUAL TABLE odd_words USING fts5 (
        text, tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc' separators '︎️'", content = '', contentless_delete = 1
    );
CREATE TABLE snapshot (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        version TEXT NOT NULL,
        seq INTEGER NOT NULL,
        checksum BLOB NOT NULL,
        body BLOB NOT NULL
    ) STRICT;
CREATE TRIGGER event_changed AFTER UPDATE ON events BEGIN
        DELETE FROM snapshot;
    END;
CREATE TRIGGER event_removed AFTER DELETE ON events BEGIN
        DELETE FROM snapshot;
    END;
CREATE TRIGGER event_inserted AFTER INSERT ON events
        WHEN NEW.seq <= (SELECT max(seq) FROM snapshot) BEGIN
        DELETE FROM snapshot;
    END;
INSERT INTO events (seq, at, body, session) VALUES (1, 1000, '{"event":"session_started","session":{"id":"00000000-0000-0000-0000-000000000002","origin":{"machine":"local","kind":"started","agent":"demo"},"name":"","folder":"","startedAt":1,"state":{"state":"starting"},"version":null,"model":null,"unusableLines":0,"options":{"config":{},"questions":"always","program":null,"extras":{"arguments":[],"environment":{}}},"place":3,"resumable":false,"config":[],"nativeSession":null,"queue":[],"helpers":[],"attention":{"muted":false,"private":false}}}', '00000000-0000-0000-0000-000000000002');
INSERT INTO events (seq, at, body, session) VALUES (2, 1000, '{"event":"session_started","session":{"id":"00000000-0000-0000-0000-000000000001","origin":{"machine":"local","kind":"started","agent":"demo"},"name":"api","folder":"/srv","startedAt":1,"state":{"state":"starting"},"version":"2.1","model":"opus","unusableLines":2,"options":{"config":{"mode":"plan"},"questions":"always","program":"/bin/agent","extras":{"arguments":["-v"],"environment":{"NAME":"value"}}},"place":3,"resumable":true,"config":[{"id":"mode","name":"Mode","category":"mode","values":[{"id":"plan","name":"Plan","description":"Plans","risk":"usual","planning":true},{"id":"plan","name":"Plan","description":"Plans","risk":"unattended","planning":true}],"freeText":false,"live":true,"current":"plan"},{"id":"mode","name":"Mode","category":"model","values":[{"id":"plan","name":"Plan","description":"Plans","risk":"usual","planning":true},{"id":"plan","name":"Plan","description":"Plans","risk":"unattended","planning":true}],"freeText":false,"live":true,"current":"plan"},{"id":"mode","name":"Mode","category":"effort","values":[{"id":"plan","name":"Plan","description":"Plans","risk":"usual","planning":true},{"id":"plan","name":"Plan","description":"Plans","risk":"unattended","planning":true}],"freeText":false,"live":true,"current":"plan"},{"id":"mode","name":"Mode","category":"other","values":[{"id":"plan","name":"Plan","description":"Plans","risk":"usual","planning":true},{"id":"plan","name":"Plan","description":"Plans","risk":"unattended","planning":true}],"freeText":false,"live":true,"current":"plan"}],"nativeSession":"native","queue":[{"id":"00000000-0000-0000-0000-000000000301","text":"next","attachments":[{"attachment":"image","image":"abababababababababababababababababababababababababababababababab","format":"png","name":"shot.png","bytes":3},{"attachment":"file","path":"/srv/notes","bytes":4},{"attachment":"image","image":"abababababababababababababababababababababababababababababababab","format":"jpeg","name":"shot.png","bytes":3},{"attachment":"image","image":"abababababababababababababababababababababababababababababababab","format":"gif","name":"shot.png","bytes":3},{"attachment":"image","image":"abababababababababababababababababababababababababababababababab","format":"webp","name":"shot.png","bytes":3}]}],"helpers":[{"id":"a17c","kind":"subagent","title":"Write a file","state":"working","beganAt":3}],"attention":{"muted":true,"private":true}}}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (3, 1000, '{"event":"agent_introduced","session":"00000000-0000-0000-0000-000000000001","version":"2.1","model":"opus"}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (4, 1000, '{"event":"native_session_known","session":"00000000-0000-0000-0000-000000000001","native_session":"native"}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (5, 1000, '{"event":"config_changed","session":"00000000-0000-0000-0000-000000000001","config":[{"id":"mode","name":"Mode","category":"mode","values":[{"id":"auto","name":"Auto","description":null,"risk":"delegated","planning":false}],"freeText":false,"live":true,"current":"auto","fallback":"auto"}]}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (6, 1000, '{"event":"turn_began","session":"00000000-0000-0000-0000-000000000001"}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (7, 1000, '{"event":"turn_finished","session":"00000000-0000-0000-0000-000000000001"}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (8, 1000, '{"event":"lines_unusable","session":"00000000-0000-0000-0000-000000000001","lines":4}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (9, 1000, '{"event":"helper_began","session":"00000000-0000-0000-0000-000000000001","helper":{"id":"a17c","kind":"subagent","title":"Write a file","state":"working","beganAt":3}}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (10, 1000, '{"event":"helper_state_changed","session":"00000000-0000-0000-0000-000000000001","helper":"a17c","state":"stopping"}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (11, 1000, '{"event":"helper_ended","session":"00000000-0000-0000-0000-000000000001","helper":"a17c"}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (12, 1000, '{"event":"session_ended","session":"00000000-0000-0000-0000-000000000001","end":{"end":"finished"},"at":5}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (13, 1000, '{"event":"session_renamed","session":"00000000-0000-0000-0000-000000000001","name":"web"}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (14, 1000, '{"event":"session_folder_changed","session":"00000000-0000-0000-0000-000000000001","folder":"/srv/web","worktree":{"repository":"/srv/api","path":"/srv/web","branch":"askdesk/x","base":"main"}}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (15, 1000, '{"event":"attention_set","session":"00000000-0000-0000-0000-000000000001","attention":{"muted":true,"private":false}}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (16, 1000, '{"event":"session_moved","session":"00000000-0000-0000-0000-000000000001","before":"00000000-0000-0000-0000-000000000002"}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (17, 1000, '{"event":"session_closed","session":"00000000-0000-0000-0000-000000000001","at":6}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (18, 1000, '{"event":"session_resumed","session":"00000000-0000-0000-0000-000000000001","at":7}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (19, 1000, '{"event":"agent_spoke","session":"00000000-0000-0000-0000-000000000001"}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (20, 1000, '{"event":"session_forgotten","session":"00000000-0000-0000-0000-000000000001"}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (21, 1000, '{"event":"client_left","session":"00000000-0000-0000-0000-000000000001"}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (22, 1000, '{"event":"message_queued","session":"00000000-0000-0000-0000-000000000001","message":{"id":"00000000-0000-0000-0000-000000000301","text":"next","attachments":[{"attachment":"image","image":"abababababababababababababababababababababababababababababababab","format":"png","name":"shot.png","bytes":3},{"attachment":"file","path":"/srv/notes","bytes":4},{"attachment":"image","image":"abababababababababababababababababababababababababababababababab","format":"jpeg","name":"shot.png","bytes":3},{"attachment":"image","image":"abababababababababababababababababababababababababababababababab","format":"gif","name":"shot.png","bytes":3},{"attachment":"image","image":"abababababababababababababababababababababababababababababababab","format":"webp","name":"shot.png","bytes":3}]}}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (23, 1000, '{"event":"queued_edited","session":"00000000-0000-0000-0000-000000000001","message":{"id":"00000000-0000-0000-0000-000000000301","text":"next","attachments":[{"attachment":"image","image":"abababababababababababababababababababababababababababababababab","format":"png","name":"shot.png","bytes":3},{"attachment":"file","path":"/srv/notes","bytes":4},{"attachment":"image","image":"abababababababababababababababababababababababababababababababab","format":"jpeg","name":"shot.png","bytes":3},{"attachment":"image","image":"abababababababababababababababababababababababababababababababab","format":"gif","name":"shot.png","bytes":3},{"attachment":"image","image":"abababababababababababababababababababababababababababababababab","format":"webp","name":"shot.png","bytes":3}]}}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (24, 1000, '{"event":"queued_removed","session":"00000000-0000-0000-0000-000000000001","message":"00000000-0000-0000-0000-000000000301"}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (25, 1000, '{"event":"queued_sent","session":"00000000-0000-0000-0000-000000000001","message":{"id":"00000000-0000-0000-0000-000000000301","text":"next","attachments":[{"attachment":"image","image":"abababababababababababababababababababababababababababababababab","format":"png","name":"shot.png","bytes":3},{"attachment":"file","path":"/srv/notes","bytes":4},{"attachment":"image","image":"abababababababababababababababababababababababababababababababab","format":"jpeg","name":"shot.png","bytes":3},{"attachment":"image","image":"abababababababababababababababababababababababababababababababab","format":"gif","name":"shot.png","bytes":3},{"attachment":"image","image":"abababababababababababababababababababababababababababababababab","format":"webp","name":"shot.png","bytes":3}]}}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (26, 1000, '{"event":"asked","request":{"id":"00000000-0000-0000-0000-000000000101","session":"00000000-0000-0000-0000-000000000001","nativeRef":"call","askedBy":"sub","helper":"helper","questions":[{"id":"q1","text":"Which?","header":"Store","kind":"single","options":[{"id":"q1o1","label":"A","description":"first","preview":"code","recommended":true}],"allowsOther":true,"otherDescription":"else","required":true,"placeholder":"type"},{"id":"q1","text":"Which?","header":"Store","kind":"multi","options":[{"id":"q1o1","label":"A","description":"first","preview":"code","recommended":true}],"allowsOther":true,"otherDescription":"else","required":true,"placeholder":"type"},{"id":"q1","text":"Which?","header":"Store","kind":"text","options":[{"id":"q1o1","label":"A","description":"first","preview":"code","recommended":true}],"allowsOther":true,"otherDescription":"else","required":true,"placeholder":"type"},{"id":"q1","text":"Which?","header":"Store","kind":"confirm","options":[{"id":"q1o1","label":"A","description":"first","preview":"code","recommended":true}],"allowsOther":true,"otherDescription":"else","required":true,"placeholder":"type"},{"id":"q1","text":"Which?","header":"Store","kind":"secret","options":[{"id":"q1o1","label":"A","description":"first","preview":"code","recommended":true}],"allowsOther":true,"otherDescription":"else","required":true,"placeholder":"type"}],"askedAt":8,"limit":{"at":9,"then":"goes on"},"state":{"state":"open"}}}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (27, 1000, '{"event":"asked_again","request":"00000000-0000-0000-0000-000000000101","native_ref":"call-2","guest":"00000000-0000-0000-0000-000000000002","at":4}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (28, 1000, '{"event":"reopened","request":"00000000-0000-0000-0000-000000000101","native_ref":"call-3","guest":"00000000-0000-0000-0000-000000000002","limit":{"at":9,"then":"goes on"},"at":4}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (29, 1000, '{"event":"call_left","request":"00000000-0000-0000-0000-000000000101","native_ref":"call-2"}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (30, 1000, '{"event":"ended","request":"00000000-0000-0000-0000-000000000101","outcome":{"outcome":"answered","answers":[{"question":"q1","chosen":["q1o1"],"other":"own","note":"why","secretGiven":true}]},"at":4}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (31, 1000, '{"event":"delivery_changed","request":"00000000-0000-0000-0000-000000000101","delivery":{"delivery":"pending"},"call":{"native_ref":"call-2","delivery":{"delivery":"delivered","at":3}}}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (32, 1000, '{"event":"sending","request":"00000000-0000-0000-0000-000000000101","late":true,"call":"call-2"}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (33, 1000, '{"event":"answered_late","request":"00000000-0000-0000-0000-000000000101","outcome":{"outcome":"answered","answers":[{"question":"q1","chosen":["q1o1"],"other":"own","note":"why","secretGiven":true}]},"at":4}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (34, 1000, '{"event":"dismissed","request":"00000000-0000-0000-0000-000000000101","outcome":{"outcome":"expired"},"at":4}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (35, 1000, '{"event":"approval_asked","approval":{"id":"00000000-0000-0000-0000-000000000201","session":"00000000-0000-0000-0000-000000000001","nativeRef":"permit","helper":"helper","askedBy":"Scout","title":"Bash","description":"runs","subject":{"detail":"command","command":"ls","description":"lists"},"options":[{"id":"o","kind":"allow_once","label":{"label":"plain"},"scope":"session","combines":true},{"id":"o","kind":"allow_always","label":{"label":"text","text":"Yes"},"scope":"local","combines":true},{"id":"o","kind":"reject_once","label":{"label":"tool","tool":"Bash","content":"ls","behavior":"allow"},"scope":"project","combines":true},{"id":"o","kind":"reject_always","label":{"label":"tool","tool":"Bash","content":"ls","behavior":"ask"},"scope":"user","combines":true},{"id":"o","kind":"allow_once","label":{"label":"tool","tool":"Bash","content":"ls","behavior":"deny"},"scope":null,"combines":true},{"id":"o","kind":"allow_once","label":{"label":"folder","paths":["/w"]},"scope":"server","combines":true},{"id":"o","kind":"allow_once","label":{"label":"config","option":"mode","value":"plan"},"scope":null,"combines":true}],"takesMessage":true,"askedAt":4,"rule":{"action":"deny","tool":"Bash","argument":"ls *","folder":"/home/ada"},"state":{"state":"open"}}}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (36, 1000, '{"event":"approval_decided","approval":"00000000-0000-0000-0000-000000000201","decision":{"options":["o"],"message":"ok","plan":"edited"},"at":5}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (37, 1000, '{"event":"approval_delivery_failed","approval":"00000000-0000-0000-0000-000000000201","error":{"undelivered":"busy"}}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (38, 1000, '{"event":"approval_withdrawn","approval":"00000000-0000-0000-0000-000000000201","at":6}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (39, 1000, '{"event":"approval_refused","approval":"00000000-0000-0000-0000-000000000201","at":6}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (40, 1000, '{"event":"times_moved","request":"00000000-0000-0000-0000-000000000101","by":-86400000}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (41, 1000, '{"event":"approval_times_moved","approval":"00000000-0000-0000-0000-000000000201","by":5}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (42, 1000, '{"event":"asker_changed","request":"00000000-0000-0000-0000-000000000101","asker":"in_background"}', '00000000-0000-0000-0000-000000000001');
INSERT INTO events (seq, at, body, session) VALUES (43, 1000, '{"event":"session_deleted","session":"00000000-0000-0000-0000-000000000002"}', '00000000-0000-0000-0000-000000000002');
INSERT INTO set_aside (seq, at, session, body, told) VALUES (999, 1, NULL, 'not JSON', 1);
INSERT INTO requests (id, session, asked_at, body, outcome, ended_at, delivery) VALUES ('00000000-0000-0000-0000-000000000101', '00000000-0000-0000-0000-000000000001', -86399992, '{"id":"00000000-0000-0000-0000-000000000101","session":"00000000-0000-0000-0000-000000000001","nativeRef":"call-3","askedBy":"sub","helper":"helper","questions":[{"id":"q1","text":"Which?","header":"Store","kind":"single","options":[{"id":"q1o1","label":"A","description":"first","preview":"code","recommended":true}],"allowsOther":true,"otherDescription":"else","required":true,"placeholder":"type"},{"id":"q1","text":"Which?","header":"Store","kind":"multi","options":[{"id":"q1o1","label":"A","description":"first","preview":"code","recommended":true}],"allowsOther":true,"otherDescription":"else","required":true,"placeholder":"type"},{"id":"q1","text":"Which?","header":"Store","kind":"text","options":[{"id":"q1o1","label":"A","description":"first","preview":"code","recommended":true}],"allowsOther":true,"otherDescription":"else","required":true,"placeholder":"type"},{"id":"q1","text":"Which?","header":"Store","kind":"confirm","options":[{"id":"q1o1","label":"A","description":"first","preview":"code","recommended":true}],"allowsOther":true,"otherDescription":"else","required":true,"placeholder":"type"},{"id":"q1","text":"Which?","header":"Store","kind":"secret","options":[{"id":"q1o1","label":"A","description":"first","preview":"code","recommended":true}],"allowsOther":true,"otherDescription":"else","required":true,"placeholder":"type"}],"askedAt":-86399992,"limit":{"at":-86399991,"then":"goes on"},"state":{"state":"open"},"answer":null,"asker":"in_background"}', '{"outcome":"expired"}', 4, 'null');
INSERT INTO approvals (id, session, body, state) VALUES ('00000000-0000-0000-0000-000000000201', '00000000-0000-0000-0000-000000000001', '{"id":"00000000-0000-0000-0000-000000000201","session":"00000000-0000-0000-0000-000000000001","nativeRef":"permit","helper":"helper","askedBy":"Scout","title":"Bash","description":"runs","subject":{"detail":"command","command":"ls","description":"lists"},"options":[{"id":"o","kind":"allow_once","label":{"label":"plain"},"scope":"session","combines":true},{"id":"o","kind":"allow_always","label":{"label":"text","text":"Yes"},"scope":"local","combines":true},{"id":"o","kind":"reject_once","label":{"label":"tool","tool":"Bash","content":"ls","behavior":"allow"},"scope":"project","combines":true},{"id":"o","kind":"reject_always","label":{"label":"tool","tool":"Bash","content":"ls","behavior":"ask"},"scope":"user","combines":true},{"id":"o","kind":"allow_once","label":{"label":"tool","tool":"Bash","content":"ls","behavior":"deny"},"scope":null,"combines":true},{"id":"o","kind":"allow_once","label":{"label":"folder","paths":["/w"]},"scope":"server","combines":true},{"id":"o","kind":"allow_once","label":{"label":"config","option":"mode","value":"plan"},"scope":null,"combines":true}],"takesMessage":true,"askedAt":9,"rule":{"action":"deny","tool":"Bash","argument":"ls *","folder":"/home/ada"},"state":{"state":"open"}}', '{"state":"refused","at":6}');
INSERT INTO drafts (about, session, saved_at, has_words, body) VALUES ('00000000-0000-0000-0000-000000000101', '00000000-0000-0000-0000-000000000001', 1000, 1, '{"of":"request","id":"00000000-0000-0000-0000-000000000101","draft":{"active":1,"answers":[{"question":"q1","chosen":["q1o1"],"otherChosen":true,"other":"own","note":"n"}],"declining":true,"words":"no"}}');
INSERT INTO drafts (about, session, saved_at, has_words, body) VALUES ('00000000-0000-0000-0000-000000000201', '00000000-0000-0000-0000-000000000001', 1000, 1, '{"of":"approval","id":"00000000-0000-0000-0000-000000000201","draft":{"form":"none","message":"m","options":["o"],"plan":"p"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 1, 1000, '{"kind":"user","text":"hi","attachments":[{"attachment":"image","image":"abababababababababababababababababababababababababababababababab","format":"png","name":"shot.png","bytes":3},{"attachment":"file","path":"/srv/notes","bytes":4}]}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 2, 1000, '{"kind":"agent","text":"hi"}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 3, 1000, '{"kind":"thinking","text":"hm"}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 4, 1000, '{"kind":"tool","toolUse":"t","name":"Bash","toolKind":"read","summary":"ls","detail":{"detail":"command","command":"ls","description":"lists"},"status":"pending","output":"out"}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 5, 1000, '{"kind":"tool","toolUse":"t","name":"Bash","toolKind":"edit","summary":"ls","detail":{"detail":"read","path":"/f","line":12,"input":"{}"},"status":"awaiting_permission","output":"out"}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 6, 1000, '{"kind":"tool","toolUse":"t","name":"Bash","toolKind":"edit","summary":"ls","detail":{"detail":"edit","path":"/f","diff":"+a"},"status":"awaiting_permission","output":"out"}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 7, 1000, '{"kind":"tool","toolUse":"t","name":"Bash","toolKind":"execute","summary":"ls","detail":{"detail":"write","path":"/f","content":"a"},"status":"running","output":"out"}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 8, 1000, '{"kind":"tool","toolUse":"t","name":"Bash","toolKind":"search","summary":"ls","detail":{"detail":"todos","items":[{"text":"do","status":"pending"},{"text":"do","status":"in_progress"},{"text":"do","status":"done"}]},"status":"done","output":"out"}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 9, 1000, '{"kind":"tool","toolUse":"t","name":"Bash","toolKind":"fetch","summary":"ls","detail":{"detail":"plan","plan":"do it","path":"/p"},"status":"failed","output":"out"}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 10, 1000, '{"kind":"tool","toolUse":"t","name":"Bash","toolKind":"fetch","summary":"ls","detail":{"detail":"plan","plan":"do it","path":"/p"},"status":"denied","output":"out"}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 11, 1000, '{"kind":"tool","toolUse":"t","name":"Bash","toolKind":"think","summary":"ls","detail":{"detail":"network","target":"host"},"status":"pending","output":"out"}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 12, 1000, '{"kind":"tool","toolUse":"t","name":"Bash","toolKind":"think","summary":"ls","detail":{"detail":"network","target":"host"},"status":"no_result","output":null}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 13, 1000, '{"kind":"tool","toolUse":"t","name":"Bash","toolKind":"execute","summary":"ls","detail":{"detail":"network","target":"host"},"status":"refused","output":"out"}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 14, 1000, '{"kind":"tool","toolUse":"t","name":"Bash","toolKind":"other","summary":"ls","detail":{"detail":"other","input":"{}"},"status":"awaiting_permission","output":"out"}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 15, 1000, '{"kind":"tool","toolUse":"t","name":"Bash","toolKind":"other","summary":"ls","detail":{"detail":"other","input":"{}"},"status":"awaiting_permission","output":"out","images":[{"image":"abababababababababababababababababababababababababababababababab","format":"png","bytes":70}]}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 16, 1000, '{"kind":"tool","toolUse":"t","name":"Bash","toolKind":"execute","summary":"ls","detail":{"detail":"other","input":"{}"},"status":"done","output":"out","subagent":"Look around"}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 17, 1000, '{"kind":"request","request":"00000000-0000-0000-0000-000000000101"}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 18, 1000, '{"kind":"copied_question","questions":[{"id":"q1","text":"Which?","header":null,"kind":"single","options":[{"id":"q1o1","label":"Blue","description":null,"preview":null,"recommended":false}],"allowsOther":true,"otherDescription":null,"required":false,"placeholder":null}],"outcome":{"outcome":"declined","words":"no"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 19, 1000, '{"kind":"copied_question","questions":[{"id":"q1","text":"Which?","header":null,"kind":"single","options":[{"id":"q1o1","label":"Blue","description":null,"preview":null,"recommended":false}],"allowsOther":true,"otherDescription":null,"required":false,"placeholder":null}],"outcome":null}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 20, 1000, '{"kind":"approval","approval":"00000000-0000-0000-0000-000000000201"}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 21, 1000, '{"kind":"plan","items":[{"text":"do","status":"pending"},{"text":"do","status":"in_progress"},{"text":"do","status":"done"}]}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 22, 1000, '{"kind":"notice","notice":{"notice":"question_refused","reason":"bad"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 23, 1000, '{"kind":"notice","notice":{"notice":"permission_refused","reason":"bad"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 24, 1000, '{"kind":"notice","notice":{"notice":"question_turned_off","policy":"always","text":"Which?"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 25, 1000, '{"kind":"notice","notice":{"notice":"question_turned_off","policy":"plan_only","text":"Which?"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 26, 1000, '{"kind":"notice","notice":{"notice":"question_turned_off","policy":"never","text":"Which?"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 27, 1000, '{"kind":"notice","notice":{"notice":"answers_brought"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 28, 1000, '{"kind":"notice","notice":{"notice":"same_text_joined","text":"Which?"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 29, 1000, '{"kind":"notice","notice":{"notice":"cut_in_half"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 30, 1000, '{"kind":"notice","notice":{"notice":"interrupted"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 31, 1000, '{"kind":"notice","notice":{"notice":"compacted"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 32, 1000, '{"kind":"notice","notice":{"notice":"conversation_reset"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 33, 1000, '{"kind":"notice","notice":{"notice":"login_rejected","error":"Authentication failed (401)"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 34, 1000, '{"kind":"notice","notice":{"notice":"sign_in_changed","error":"Authentication failed (401)"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 35, 1000, '{"kind":"notice","notice":{"notice":"program_replaced"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 36, 1000, '{"kind":"notice","notice":{"notice":"helper_ended","helper":"subagent","title":"Write a file","end":"finished"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 37, 1000, '{"kind":"notice","notice":{"notice":"helper_ended","helper":"shell","title":"Write a file","end":"failed"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 38, 1000, '{"kind":"notice","notice":{"notice":"helper_ended","helper":"task","title":"Write a file","end":"stopped"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 39, 1000, '{"kind":"notice","notice":{"notice":"helper_ended","helper":"shell","title":"Write a file","end":"by_user"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 40, 1000, '{"kind":"notice","notice":{"notice":"helper_ended","helper":"subagent","title":"Write a file","end":"with_turn"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 41, 1000, '{"kind":"notice","notice":{"notice":"helper_ended","helper":"shell","title":"Write a file","end":"with_agent"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 42, 1000, '{"kind":"notice","notice":{"notice":"helper_not_stopped","title":"Write a file","error":"bad"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 43, 1000, '{"kind":"notice","notice":{"notice":"hook_failed","output":"node: not found"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 44, 1000, '{"kind":"notice","notice":{"notice":"agent_told","text":"Stop says: done"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 45, 1000, '{"kind":"notice","notice":{"notice":"agent_warned","text":"Low on quota."}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 46, 1000, '{"kind":"notice","notice":{"notice":"agent_unsaved","what":"conversation"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 47, 1000, '{"kind":"notice","notice":{"notice":"agent_unsaved","what":"settings"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 48, 1000, '{"kind":"notice","notice":{"notice":"model_refused","refused":"opus","model":"sonnet","lasting":true,"why":"cyber"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 49, 1000, '{"kind":"notice","notice":{"notice":"model_refused","refused":"opus","model":"sonnet","lasting":false}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 50, 1000, '{"kind":"notice","notice":{"notice":"not_understood","kind":"item/ask","text":"Which one?","refused":false}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 51, 1000, '{"kind":"notice","notice":{"notice":"entries_lost","count":3}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 52, 1000, '{"kind":"notice","notice":{"notice":"unreadable"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 53, 1000, '{"kind":"notice","notice":{"notice":"message_not_sent","error":{"undelivered":"busy"}}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 54, 1000, '{"kind":"notice","notice":{"notice":"begun_elsewhere","earlier":"all"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 55, 1000, '{"kind":"notice","notice":{"notice":"begun_elsewhere","earlier":"newest"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 56, 1000, '{"kind":"notice","notice":{"notice":"begun_elsewhere","earlier":"unread"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 57, 1000, '{"kind":"notice","notice":{"notice":"files_put_back","files":2,"left":["a.bin"],"more":0}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 58, 1000, '{"kind":"notice","notice":{"notice":"files_not_put_back","error":"bad"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 59, 1000, '{"kind":"notice","notice":{"notice":"forked","from":"00000000-0000-0000-0000-000000000001","earlier":"all"}}');
INSERT INTO entries (session, n, at, body) VALUES ('00000000-0000-0000-0000-000000000001', 60, 1000, '{"kind":"turn_ended","millis":5,"inputTokens":1,"outputTokens":2,"cachedTokens":3,"error":"bad","costUsd":0.25,"context":{"used":1,"size":2}}');
INSERT INTO turns_of_deleted (at, input_tokens, output_tokens, cached_tokens, cost_nanos) VALUES (1000, 1, 2, 3, 250000000);
INSERT INTO passed_budgets (day, dollars) VALUES ('2026-11-26', 5);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (1, '00000000-0000-0000-0000-000000000001', 1, 1000, '"user"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (2, '00000000-0000-0000-0000-000000000001', 2, 1000, '"agent"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (3, '00000000-0000-0000-0000-000000000001', 3, 1000, '"thinking"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (4, '00000000-0000-0000-0000-000000000001', 4, 1000, '"tool"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (5, '00000000-0000-0000-0000-000000000001', 5, 1000, '"tool"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (6, '00000000-0000-0000-0000-000000000001', 6, 1000, '"tool"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (7, '00000000-0000-0000-0000-000000000001', 7, 1000, '"tool"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (8, '00000000-0000-0000-0000-000000000001', 8, 1000, '"tool"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (9, '00000000-0000-0000-0000-000000000001', 9, 1000, '"tool"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (10, '00000000-0000-0000-0000-000000000001', 10, 1000, '"tool"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (11, '00000000-0000-0000-0000-000000000001', 11, 1000, '"tool"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (12, '00000000-0000-0000-0000-000000000001', 12, 1000, '"tool"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (13, '00000000-0000-0000-0000-000000000001', 13, 1000, '"tool"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (14, '00000000-0000-0000-0000-000000000001', 14, 1000, '"tool"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (15, '00000000-0000-0000-0000-000000000001', 15, 1000, '"tool"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (16, '00000000-0000-0000-0000-000000000001', 16, 1000, '"tool"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (17, '00000000-0000-0000-0000-000000000001', 17, 1000, '"request"', '00000000-0000-0000-0000-000000000101');
INSERT INTO searched (id, session, n, at, kind, about) VALUES (18, '00000000-0000-0000-0000-000000000001', 18, 1000, '"copied_question"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (19, '00000000-0000-0000-0000-000000000001', 19, 1000, '"copied_question"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (20, '00000000-0000-0000-0000-000000000001', 20, 1000, '"approval"', '00000000-0000-0000-0000-000000000201');
INSERT INTO searched (id, session, n, at, kind, about) VALUES (21, '00000000-0000-0000-0000-000000000001', 21, 1000, '"plan"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (22, '00000000-0000-0000-0000-000000000001', 22, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (23, '00000000-0000-0000-0000-000000000001', 23, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (24, '00000000-0000-0000-0000-000000000001', 24, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (25, '00000000-0000-0000-0000-000000000001', 25, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (26, '00000000-0000-0000-0000-000000000001', 26, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (27, '00000000-0000-0000-0000-000000000001', 28, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (28, '00000000-0000-0000-0000-000000000001', 33, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (29, '00000000-0000-0000-0000-000000000001', 34, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (30, '00000000-0000-0000-0000-000000000001', 36, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (31, '00000000-0000-0000-0000-000000000001', 37, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (32, '00000000-0000-0000-0000-000000000001', 38, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (33, '00000000-0000-0000-0000-000000000001', 39, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (34, '00000000-0000-0000-0000-000000000001', 40, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (35, '00000000-0000-0000-0000-000000000001', 41, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (36, '00000000-0000-0000-0000-000000000001', 42, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (37, '00000000-0000-0000-0000-000000000001', 43, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (38, '00000000-0000-0000-0000-000000000001', 44, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (39, '00000000-0000-0000-0000-000000000001', 45, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (40, '00000000-0000-0000-0000-000000000001', 48, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (41, '00000000-0000-0000-0000-000000000001', 49, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (42, '00000000-0000-0000-0000-000000000001', 50, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (43, '00000000-0000-0000-0000-000000000001', 53, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (44, '00000000-0000-0000-0000-000000000001', 57, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (45, '00000000-0000-0000-0000-000000000001', 58, 1000, '"notice"', NULL);
INSERT INTO searched (id, session, n, at, kind, about) VALUES (46, '00000000-0000-0000-0000-000000000001', 60, 1000, '"turn_ended"', NULL);
INSERT INTO words (rowid, text) VALUES (1, 'hi
shot.png
notes');
INSERT INTO even_words (rowid, text) VALUES (1, 'hi
shot.png
notes');
INSERT INTO words (rowid, text) VALUES (2, 'hi');
INSERT INTO even_words (rowid, text) VALUES (2, 'hi');
INSERT INTO words (rowid, text) VALUES (3, 'hm');
INSERT INTO even_words (rowid, text) VALUES (3, 'hm');
INSERT INTO words (rowid, text) VALUES (4, 'Bash
ls
lists
ls
out');
INSERT INTO even_words (rowid, text) VALUES (4, 'Bash
ls
lists
ls
out');
INSERT INTO words (rowid, text) VALUES (5, 'Bash
ls
{}
out');
INSERT INTO even_words (rowid, text) VALUES (5, 'Bash
ls
{}
out');
INSERT INTO words (rowid, text) VALUES (6, 'Bash
ls
/f
+a
out');
INSERT INTO even_words (rowid, text) VALUES (6, 'Bash
ls
/f
+a
out');
INSERT INTO words (rowid, text) VALUES (7, 'Bash
ls
/f
a
out');
INSERT INTO even_words (rowid, text) VALUES (7, 'Bash
ls
/f
a
out');
INSERT INTO words (rowid, text) VALUES (8, 'Bash
ls
[ ] do
[~] do
[x] do
out');
INSERT INTO even_words (rowid, text) VALUES (8, 'Bash
ls
[ ] do
[~] do
[x] do
out');
INSERT INTO words (rowid, text) VALUES (9, 'Bash
ls
/p
do it
out');
INSERT INTO even_words (rowid, text) VALUES (9, 'Bash
ls
/p
do it
out');
INSERT INTO words (rowid, text) VALUES (10, 'Bash
ls
/p
do it
out');
INSERT INTO even_words (rowid, text) VALUES (10, 'Bash
ls
/p
do it
out');
INSERT INTO words (rowid, text) VALUES (11, 'Bash
ls
host
out');
INSERT INTO even_words (rowid, text) VALUES (11, 'Bash
ls
host
out');
INSERT INTO words (rowid, text) VALUES (12, 'Bash
ls
host');
INSERT INTO even_words (rowid, text) VALUES (12, 'Bash
ls
host');
INSERT INTO words (rowid, text) VALUES (13, 'Bash
ls
host
out');
INSERT INTO even_words (rowid, text) VALUES (13, 'Bash
ls
host
out');
INSERT INTO words (rowid, text) VALUES (14, 'Bash
ls
{}
out');
INSERT INTO even_words (rowid, text) VALUES (14, 'Bash
ls
{}
out');
INSERT INTO words (rowid, text) VALUES (15, 'Bash
ls
{}
out');
INSERT INTO even_words (rowid, text) VALUES (15, 'Bash
ls
{}
out');
INSERT INTO words (rowid, text) VALUES (16, 'Bash
ls
{}
out');
INSERT INTO even_words (rowid, text) VALUES (16, 'Bash
ls
{}
out');
INSERT INTO words (rowid, text) VALUES (17, 'Which?
Store
A
first
code
Which?
Store
A
first
code
Which?
Store
A
first
code
Which?
Store
A
first
code
Which?
Store
A
first
code
sub');
INSERT INTO even_words (rowid, text) VALUES (17, 'Which?
Store
A
first
code
Which?
Store
A
first
code
Which?
Store
A
first
code
Which?
Store
A
first
code
Which?
Store
A
first
code
sub');
INSERT INTO words (rowid, text) VALUES (18, 'no
Which?
Blue');
INSERT INTO even_words (rowid, text) VALUES (18, 'no
Which?
Blue');
INSERT INTO words (rowid, text) VALUES (19, 'Which?
Blue');
INSERT INTO even_words (rowid, text) VALUES (19, 'Which?
Blue');
INSERT INTO words (rowid, text) VALUES (20, 'Bash
runs
lists
ls');
INSERT INTO even_words (rowid, text) VALUES (20, 'Bash
runs
lists
ls');
INSERT INTO words (rowid, text) VALUES (21, 'do
do
do');
INSERT INTO even_words (rowid, text) VALUES (21, 'do
do
do');
INSERT INTO words (rowid, text) VALUES (22, 'bad');
INSERT INTO even_words (rowid, text) VALUES (22, 'bad');
INSERT INTO words (rowid, text) VALUES (23, 'bad');
INSERT INTO even_words (rowid, text) VALUES (23, 'bad');
INSERT INTO words (rowid, text) VALUES (24, 'Which?');
INSERT INTO even_words (rowid, text) VALUES (24, 'Which?');
INSERT INTO words (rowid, text) VALUES (25, 'Which?');
INSERT INTO even_words (rowid, text) VALUES (25, 'Which?');
INSERT INTO words (rowid, text) VALUES (26, 'Which?');
INSERT INTO even_words (rowid, text) VALUES (26, 'Which?');
INSERT INTO words (rowid, text) VALUES (27, 'Which?');
INSERT INTO even_words (rowid, text) VALUES (27, 'Which?');
INSERT INTO words (rowid, text) VALUES (28, 'Authentication failed (401)');
INSERT INTO even_words (rowid, text) VALUES (28, 'Authentication failed (401)');
INSERT INTO words (rowid, text) VALUES (29, 'Authentication failed (401)');
INSERT INTO even_words (rowid, text) VALUES (29, 'Authentication failed (401)');
INSERT INTO words (rowid, text) VALUES (30, 'Write a file');
INSERT INTO even_words (rowid, text) VALUES (30, 'Write a file');
INSERT INTO words (rowid, text) VALUES (31, 'Write a file');
INSERT INTO even_words (rowid, text) VALUES (31, 'Write a file');
INSERT INTO words (rowid, text) VALUES (32, 'Write a file');
INSERT INTO even_words (rowid, text) VALUES (32, 'Write a file');
INSERT INTO words (rowid, text) VALUES (33, 'Write a file');
INSERT INTO even_words (rowid, text) VALUES (33, 'Write a file');
INSERT INTO words (rowid, text) VALUES (34, 'Write a file');
INSERT INTO even_words (rowid, text) VALUES (34, 'Write a file');
INSERT INTO words (rowid, text) VALUES (35, 'Write a file');
INSERT INTO even_words (rowid, text) VALUES (35, 'Write a file');
INSERT INTO words (rowid, text) VALUES (36, 'Write a file
bad');
INSERT INTO even_words (rowid, text) VALUES (36, 'Write a file
bad');
INSERT INTO words (rowid, text) VALUES (37, 'node: not found');
INSERT INTO even_words (rowid, text) VALUES (37, 'node: not found');
INSERT INTO words (rowid, text) VALUES (38, 'Stop says: done');
INSERT INTO even_words (rowid, text) VALUES (38, 'Stop says: done');
INSERT INTO words (rowid, text) VALUES (39, 'Low on quota.');
INSERT INTO even_words (rowid, text) VALUES (39, 'Low on quota.');
INSERT INTO words (rowid, text) VALUES (40, 'opus
sonnet
cyber');
INSERT INTO even_words (rowid, text) VALUES (40, 'opus
sonnet
cyber');
INSERT INTO words (rowid, text) VALUES (41, 'opus
sonnet');
INSERT INTO even_words (rowid, text) VALUES (41, 'opus
sonnet');
INSERT INTO words (rowid, text) VALUES (42, 'item/ask
Which one?');
INSERT INTO even_words (rowid, text) VALUES (42, 'item/ask
Which one?');
INSERT INTO words (rowid, text) VALUES (43, 'the agent can''t take input right now');
INSERT INTO even_words (rowid, text) VALUES (43, 'the agent can''t take input right now');
INSERT INTO words (rowid, text) VALUES (44, 'a.bin');
INSERT INTO even_words (rowid, text) VALUES (44, 'a.bin');
INSERT INTO words (rowid, text) VALUES (45, 'bad');
INSERT INTO even_words (rowid, text) VALUES (45, 'bad');
INSERT INTO words (rowid, text) VALUES (46, 'bad');
INSERT INTO even_words (rowid, text) VALUES (46, 'bad');
