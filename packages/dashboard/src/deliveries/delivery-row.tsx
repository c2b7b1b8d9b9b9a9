/** Delivery in the log. */
import { Link } from '@tanstack/react-router'
import { typeName } from '../channels/draft.ts'
import { Checkbox } from '../kit/checkbox.tsx'
import type { State } from '../kit/icon.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { fill } from '../texts/plural.ts'
import { type Texts, useFormats, useTexts } from '../texts/texts.tsx'
import type { DeliveryData, DeliveryStateName } from './filters.ts'

export const deliveryMarks: Record<DeliveryStateName, State> = {
  pending: 'work',
  sending: 'work',
  delivered: 'ok',
  superseded: 'none',
  suppressed: 'none',
  cancelled: 'slow',
  exhausted: 'down',
}

/** Returns whether the service accepts the delivery again; tests are sent again as new tests. */
export const isReplayable = ({ state, event }: DeliveryData): boolean =>
  (state === 'exhausted' || state === 'cancelled') && event !== 'channel.test'

/** Name of the event; its kind for one of a newer version of the service. */
export const eventName = (event: string, { deliveries: { events } }: Texts): string =>
  Object.hasOwn(events, event) ? events[event as keyof typeof events] : event

export const stateText = ({ state, reason }: DeliveryData, { deliveries, joins }: Texts): string =>
  reason === null
    ? deliveries.states[state]
    : fill(joins.labelled, { label: deliveries.states[state], value: deliveries.reasons[reason] })

interface DeliveryRowProps {
  delivery: DeliveryData
  isSelected: boolean
  /** Absent without the right to send again. */
  onSelect?(isSelected: boolean): void
}

export const DeliveryRow = ({ delivery, isSelected, onSelect }: DeliveryRowProps) => {
  const texts = useTexts()
  const { deliveries } = texts
  const { facts, plural, time } = useFormats()
  const { id, destination, event, state, attemptCount, createdAt, nextAttemptAt } = delivery
  const name = `${eventName(event, texts)} ${texts.joins.arrow} ${destination.label}`
  return (
    <ListRow
      state={deliveryMarks[state]}
      title={
        <Link to="/deliveries/$id" params={{ id }}>
          {name}
        </Link>
      }
      facts={[
        stateText(delivery, texts),
        facts([deliveries.kinds[destination.kind], typeName(destination.type, texts)]),
        fill(deliveries.created, { time: time(createdAt) }),
        attemptCount > 1 ? plural(deliveries.attemptCount, attemptCount) : null,
        nextAttemptAt && fill(deliveries.nextAttempt, { time: time(nextAttemptAt) }),
      ]}
      actions={
        onSelect !== undefined &&
        isReplayable(delivery) && (
          <Checkbox aria-label={name} isSelected={isSelected} onChange={onSelect} />
        )
      }
    />
  )
}
