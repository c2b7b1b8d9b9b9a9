/**
 * Command `requeue` of a service: `main.ts requeue` lists the quarantined events, one line each;
 * `main.ts requeue <consumer> <event id>` handles one of them again.
 */
import { type EventHandler, listQuarantined, requeueDead } from '@status-page/bus'
import { AppError } from '@status-page/contracts'
import type { Database } from '@status-page/postgres'

export interface RequeueCommand {
  database: Database
  eventHandlers: readonly EventHandler[]
  /** Arguments after the word `requeue`. */
  parameters: readonly string[]
  print(line: string): void
}

const firstLine = (error: string | null): string => error?.split('\n', 1)[0] ?? 'no error stored'

/** Returns the exit code: 0, or 1 after printing why nothing was handled. */
export const runRequeueCommand = async (command: RequeueCommand): Promise<number> => {
  const { database, eventHandlers, parameters, print } = command
  const [consumer, eventId] = parameters
  if (consumer === undefined) {
    const events = await listQuarantined(database)
    for (const event of events) {
      print(`${event.consumer} ${event.eventId} ${event.subject} ${firstLine(event.error)}`)
    }
    if (events.length === 0) print('No event is quarantined.')
    return 0
  }
  if (eventId === undefined || parameters.length > 2) {
    print('Usage: requeue [<consumer> <event id>]')
    return 1
  }
  try {
    await requeueDead({ database, eventHandlers, consumer, eventId })
    print(`The event ${eventId} was handled by ${consumer}.`)
    return 0
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const isUnknown = error instanceof AppError && error.code === 'NOT_FOUND'
    print(
      isUnknown
        ? `${consumer} has no quarantined event ${eventId}.`
        : `The event was not handled: ${error.message}`,
    )
    return 1
  }
}
