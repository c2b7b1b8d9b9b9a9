/** Random secret for the signatures of webhooks. */

const SECRET_BYTES = 24

/** 48 hexadecimal digits, within the bounds of the contract (16 to 256 printable characters). */
export const newSecret = (): string =>
  [...crypto.getRandomValues(new Uint8Array(SECRET_BYTES))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
