/**
 * Copy of the assigned targets in a file that only its owner can read, for an agent that starts
 * without a connection. Secret values are encrypted to the agent, as the service sends them.
 */
import { readFile, rm } from 'node:fs/promises'
import { isPolledTarget, type PolledTarget } from './polled-target.ts'
import { replaceFile } from './state-file.ts'

export class TargetsFile {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** Targets of the last assignment; none without a file that this version can read. */
  async read(): Promise<PolledTarget[]> {
    try {
      return JSON.parse(await readFile(this.#path, 'utf8')).filter(isPolledTarget)
    } catch {
      return []
    }
  }

  save(targets: readonly PolledTarget[]): Promise<void> {
    return replaceFile(this.#path, targets)
  }

  delete(): Promise<void> {
    return rm(this.#path, { force: true })
  }
}
