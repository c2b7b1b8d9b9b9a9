/**
 * Queue of items that are processed in batches, one batch at a time. A batch begins in the next
 * turn of the event loop; items that arrive during it form the next one, so that batches grow with
 * the load.
 */
import { unavailable } from '@status-page/contracts'

export interface BatchQueueOptions<Item> {
  /** Maximum items of a batch. */
  batchSize: number
  /** Maximum items that wait for a batch; `add` refuses others with 503. */
  maxWaiting: number
  /** Processes the items in order of arrival and settles each one itself; never rejects. */
  process(items: Item[]): Promise<void>
}

export class BatchQueue<Item> {
  readonly #options: BatchQueueOptions<Item>
  #waiting: Item[] = []
  #isRunning = false

  constructor(options: BatchQueueOptions<Item>) {
    this.#options = options
  }

  /** Adds an item; throws 503 when the queue is full. */
  add(item: Item): void {
    if (this.#waiting.length >= this.#options.maxWaiting)
      throw unavailable('Too many requests wait')
    this.#waiting.push(item)
    if (this.#isRunning) return
    this.#isRunning = true
    setImmediate(() => void this.#run())
  }

  async #run(): Promise<void> {
    const { batchSize, process } = this.#options
    while (this.#waiting.length > 0) await process(this.#waiting.splice(0, batchSize))
    this.#isRunning = false
  }
}
