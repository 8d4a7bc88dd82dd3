// Measured as the app measures itself: in the first task after the frame.
requestAnimationFrame(() => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    const at = Math.round(performance.timeOrigin + performance.now());
    window.__TAURI_INTERNALS__.invoke('note_painted', { at });
  };
  port2.postMessage(null);
});
