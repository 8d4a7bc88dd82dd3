// Measured as the app measures itself: in the first task after the frame.
requestAnimationFrame(() => {
  setTimeout(() => {
    const at = Math.round(performance.timeOrigin + performance.now());
    window.__TAURI_INTERNALS__.invoke('note_painted', { at });
  });
});
