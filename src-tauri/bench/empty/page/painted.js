requestAnimationFrame(() => requestAnimationFrame(() => window.__TAURI_INTERNALS__.invoke('note_painted')));
