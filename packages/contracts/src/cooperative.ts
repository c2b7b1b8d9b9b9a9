/** A long computation that says where it may pause; no step of it takes more than a few milliseconds. */
export type Cooperative<Result> = Generator<void, Result, void>
