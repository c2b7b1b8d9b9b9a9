/**
 * Placeholder for the types that openapi-typescript generates; the test compiles the client with
 * the generated file in its place.
 */
// biome-ignore lint/suspicious/noExplicitAny: nothing is known before the types are generated
export type paths = any
