/** Encryption, hashing, signing and redaction of secrets. */

export * from './action-token.ts'
export * from './encryption-contexts.ts'
export * from './hash.ts'
export * from './key-box.ts'
export * from './mac.ts'
export * from './page-password.ts'
export { createPasswords, type Passwords } from './passwords.ts'
export * from './redact.ts'
export * from './seal.ts'
export * from './sign.ts'
