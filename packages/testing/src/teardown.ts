/** Subset of a test that helpers use: registration of a teardown. */
export interface Teardown {
  teardown(work: () => unknown): void
}
