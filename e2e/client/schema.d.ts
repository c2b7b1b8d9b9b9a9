/** Stands where a client keeps what openapi-typescript generates; the test compiles with the real one in its place. */
// biome-ignore lint/suspicious/noExplicitAny: nothing is known before the types are generated
export type paths = any
