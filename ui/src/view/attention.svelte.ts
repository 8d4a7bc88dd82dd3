import { onMount } from 'svelte';

/** Whether the pointer may be about to press something, so that nothing may move below it. */
export class Attention {
  pointed = $state(false);

  /** Follows the pointer while the component is mounted. */
  follow(): void {
    onMount(() => {
      const left = () => (this.pointed = false);
      const moved = () => (this.pointed = true);
      window.addEventListener('pointermove', moved);
      window.addEventListener('blur', left);
      document.documentElement.addEventListener('mouseleave', left);
      return () => {
        window.removeEventListener('pointermove', moved);
        window.removeEventListener('blur', left);
        document.documentElement.removeEventListener('mouseleave', left);
      };
    });
  }
}
