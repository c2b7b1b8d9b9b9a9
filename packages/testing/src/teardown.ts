/** The one thing that a helper needs of a test: a place to say what has to be undone. */
export interface Teardown {
  teardown(work: () => unknown): void
}
