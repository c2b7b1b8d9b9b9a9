/**
 * Long computation as a generator: each `yield` is a point where the caller may pause it. A step
 * takes a few milliseconds at most.
 */
export type Cooperative<Result> = Generator<void, Result, void>
