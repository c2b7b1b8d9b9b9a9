/** Delivery: its recipient, its state and its attempts. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Problem } from '../app/problem.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { typeName } from '../channels/draft.ts'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { StateMark } from '../kit/icon.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { Note } from '../kit/note.tsx'
import { Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './deliveries.module.css'
import { deliveryMarks, eventName, isReplayable, stateText } from './delivery-row.tsx'
import type { DeliveryData } from './filters.ts'
import { deliveryQuery } from './queries.ts'
import { useReplay } from './replay.ts'

const route = getRouteApi('/deliveries/$id')

export const DeliveryScreen = () => {
  const { deliveries: texts } = useTexts()
  const { id } = route.useParams()
  const { data, error, refetch } = useQuery(deliveryQuery(id))
  if (data === undefined) {
    return (
      <Screen title={texts.title}>
        {error === null ? <Skeleton rows={6} /> : <Problem error={error} onRetry={refetch} />}
      </Screen>
    )
  }
  return <DeliveryView delivery={data} />
}

const DeliveryView = ({ delivery }: { delivery: DeliveryData }) => {
  const texts = useTexts()
  const { can } = useSession()
  return (
    <Screen
      title={eventName(delivery.event, texts)}
      intro={`\u2068${delivery.destination.label}\u2069`}
    >
      <p className={classes.state}>
        <StateMark state={deliveryMarks[delivery.state]} />
        <strong>{stateText(delivery, texts)}</strong>
        <Link to="/deliveries">{texts.deliveries.back}</Link>
      </p>
      {can('NOTIFICATIONS_UPDATE') && <Replay delivery={delivery} />}
      <AttemptsCard delivery={delivery} />
      <FactsCard delivery={delivery} />
    </Screen>
  )
}

const Replay = ({ delivery }: { delivery: DeliveryData }) => {
  const { deliveries: texts } = useTexts()
  const replay = useReplay()
  return (
    <div className={classes.live} aria-live="polite">
      {isReplayable(delivery) && (
        <p>
          <Button
            emphasis="primary"
            onPress={() => replay.mutate([delivery.id])}
            isDisabled={replay.isPending}
          >
            {texts.replay}
          </Button>
        </p>
      )}
      {replay.isSuccess && <Note state="ok">{texts.replayed}</Note>}
      <ProblemNote error={replay.error} />
    </div>
  )
}

const AttemptsCard = ({ delivery: { attempts = [] } }: { delivery: DeliveryData }) => {
  const { deliveries: texts } = useTexts()
  const { fill, number, time } = useFormats()
  return (
    <Card title={texts.attempts} count={number(attempts.length)}>
      {attempts.length === 0 ? (
        <p className={classes.calm}>{texts.noAttempts}</p>
      ) : (
        <ol>
          {attempts.map(
            ({ number: position, startedAt, durationMs, outcome, statusCode, error }) => (
              <ListRow
                key={position}
                state={outcome === 'delivered' ? 'ok' : 'down'}
                title={texts.outcomes[outcome]}
                facts={[
                  time(startedAt),
                  fill(texts.duration, { ms: number(durationMs) }),
                  statusCode === null ? null : fill(texts.status, { code: statusCode }),
                  error,
                ]}
              />
            ),
          )}
        </ol>
      )}
    </Card>
  )
}

const FactsCard = ({ delivery }: { delivery: DeliveryData }) => {
  const texts = useTexts()
  const { deliveries, incident } = texts
  const { facts, time } = useFormats()
  const { destination, createdAt, finishedAt, nextAttemptAt, expiresAt } = delivery
  const { kind, type } = destination
  return (
    <Card title={incident.facts}>
      <dl className={classes.facts}>
        <Fact name={deliveries.recipient}>
          {facts([deliveries.kinds[kind], typeName(type, texts)])} ·{' '}
          <Recipient delivery={delivery} />
        </Fact>
        <Fact name={deliveries.createdAt}>{time(createdAt)}</Fact>
        {nextAttemptAt !== null && (
          <Fact name={deliveries.nextAttemptAt}>{time(nextAttemptAt)}</Fact>
        )}
        {finishedAt === null ? (
          <Fact name={deliveries.expiresAt}>{time(expiresAt)}</Fact>
        ) : (
          <Fact name={deliveries.finishedAt}>{time(finishedAt)}</Fact>
        )}
      </dl>
    </Card>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const Recipient = ({ delivery: { destination } }: { delivery: DeliveryData }) => {
  const { id, kind, label } = destination
  const name = <bdi>{label}</bdi>
  if (kind === 'user') return name
  const search = kind === 'channel' ? { channel: id } : { subscriber: id }
  return (
    <Link to="/deliveries" search={search}>
      {name}
    </Link>
  )
}
