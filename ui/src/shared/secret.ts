const PARTS = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH|HEADERS/i;

/** Whether a variable's name suggests a secret. The engine applies the same rule to what it stores. */
export function isSecret(name: string): boolean {
  return PARTS.test(name);
}
