/** Marker of the API in place of a stored secret; a request with it keeps the secret. */
export const REDACTED = '***REDACTED***'
