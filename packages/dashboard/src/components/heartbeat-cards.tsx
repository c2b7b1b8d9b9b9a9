/** Heartbeat of a component: expected ping, open runs, ping URL and latest pings. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../app/confirm-dialog.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { Actions, CardBody, Hint } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { PingUrlDialog } from './ping-url-dialog.tsx'
import { type HeartbeatData, PingsCard } from './pings-card.tsx'
import { heartbeatQuery } from './queries.ts'
import { useRotatePingUrl } from './use-rotate-ping-url.ts'

export const HeartbeatCards = ({ id }: { id: string }) => {
  const { heartbeats: texts } = useTexts()
  const { can } = useSession()
  const { data, error } = useQuery(heartbeatQuery(id))
  return (
    <>
      <Card title={texts.title}>
        <CardBody>
          <ProblemNote error={error} />
          {data !== undefined && <State heartbeat={data} />}
          {data !== undefined && can('COMPONENTS_UPDATE') && <PingUrl heartbeat={data} />}
        </CardBody>
      </Card>
      {data !== undefined && <PingsCard pings={data.pings} />}
    </>
  )
}

const State = ({ heartbeat }: { heartbeat: HeartbeatData }) => {
  const { heartbeats: texts } = useTexts()
  const { fill, time } = useFormats()
  const { tokenIssuedAt, lastPingAt, expectedAt, dueAt, runs } = heartbeat
  const facts = [
    fill(texts.lastPing, { time: lastPingAt === null ? texts.never : time(lastPingAt) }),
    expectedAt !== null && fill(texts.expected, { time: time(expectedAt) }),
    dueAt !== null && fill(texts.due, { time: time(dueAt) }),
    ...runs.map(({ run, startedAt }) =>
      run === null
        ? fill(texts.running, { time: time(startedAt) })
        : fill(texts.runningNamed, { run: `\u2068${run}\u2069`, time: time(startedAt) }),
    ),
    tokenIssuedAt === null ? texts.noUrl : fill(texts.issued, { time: time(tokenIssuedAt) }),
  ].filter((fact) => fact !== false)
  return (
    <ul>
      {facts.map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
    </ul>
  )
}

const PingUrl = ({ heartbeat: { componentId, tokenIssuedAt } }: { heartbeat: HeartbeatData }) => {
  const { heartbeats: texts } = useTexts()
  const [isAsking, setIsAsking] = useState(false)
  const rotate = useRotatePingUrl(componentId)
  if (rotate.data !== undefined) {
    return (
      <PingUrlDialog
        pingUrl={rotate.data}
        onClose={() => {
          setIsAsking(false)
          rotate.reset()
        }}
      />
    )
  }
  if (tokenIssuedAt === null) {
    return (
      <>
        <Actions>
          <Button emphasis="primary" onPress={() => rotate.mutate()} isDisabled={rotate.isPending}>
            {texts.createUrl}
          </Button>
        </Actions>
        <ProblemNote error={rotate.error} />
      </>
    )
  }
  return (
    <>
      <Actions>
        <Button onPress={() => setIsAsking(true)}>{texts.replaceUrl}</Button>
      </Actions>
      <Hint>{texts.lostHint}</Hint>
      {isAsking && (
        <ConfirmDialog
          title={texts.replaceTitle}
          confirm={texts.replaceUrl}
          action={rotate}
          onClose={() => setIsAsking(false)}
        >
          <p>{texts.replaceHint}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
