/**
 * Budget of processor time for data of untrusted hosts. Steps are counted instead of time, so that
 * the same data has the same result on every machine; one step takes about 2 ns.
 */

export class StepBudgetError extends Error {
  constructor() {
    super('The data takes too many steps to evaluate')
    this.name = 'StepBudgetError'
  }
}

export class StepBudget {
  #left: number

  constructor(steps: number) {
    this.#left = steps
  }

  get left(): number {
    return this.#left
  }

  /** Throws `StepBudgetError` when fewer steps are left. */
  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new StepBudgetError()
  }
}
