/** Sessions of the user in all browsers. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { Problem } from '../app/problem.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { CardBody } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { Note } from '../kit/note.tsx'
import { Skeleton } from '../kit/screen.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { deviceOf } from './device.ts'
import { type SessionData, sessionsQuery } from './queries.ts'

export const SessionsCard = () => {
  const { sessions: texts } = useTexts().ownAccount
  const { number } = useFormats()
  const { data: sessions, error, refetch } = useQuery(sessionsQuery)
  const end = useEndSessions()
  const others = (sessions ?? []).filter(({ isCurrent }) => !isCurrent)
  const endOthers = others.length > 0 && (
    <Button
      emphasis="danger"
      onPress={() => end.mutate(others.map(({ id }) => id))}
      isDisabled={end.isPending}
    >
      {texts.endOthers}
    </Button>
  )
  return (
    <Card title={texts.title} count={sessions && number(sessions.length)} aside={endOthers}>
      {end.isError && (
        <CardBody>
          <ProblemNote error={end.error} />
        </CardBody>
      )}
      {end.isSuccess && others.length === 0 && (
        <CardBody>
          <Note state="ok">{texts.othersEnded}</Note>
        </CardBody>
      )}
      {sessions === undefined ? (
        error === null ? (
          <Skeleton rows={2} />
        ) : (
          <Problem error={error} onRetry={refetch} />
        )
      ) : (
        <ul>
          {sessions.map((session) => (
            <SessionRow
              key={session.id}
              session={session}
              isEnding={end.isPending}
              onEnd={() => end.mutate([session.id])}
            />
          ))}
        </ul>
      )}
    </Card>
  )
}

const useEndSessions = () => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async (ids: readonly string[]) => {
      // A user has few sessions; one after the other, so that the limit of requests is not reached.
      for (const id of ids) {
        await api.DELETE('/api/v1/auth/sessions/{id}', { params: { path: { id } } })
      }
    },
    onSettled: () => queryClient.invalidateQueries(sessionsQuery),
  })
}

interface SessionRowProps {
  session: SessionData
  isEnding: boolean
  onEnd(): void
}

const SessionRow = ({ session, isEnding, onEnd }: SessionRowProps) => {
  const { sessions: texts } = useTexts().ownAccount
  const { fill, facts, time } = useFormats()
  const { isCurrent, userAgent, ipAddress, lastUsedAt, createdAt } = session
  const device = deviceOf(userAgent) ?? texts.unknown
  return (
    <ListRow
      state={isCurrent ? 'ok' : 'none'}
      title={device}
      facts={[
        isCurrent ? texts.current : null,
        ipAddress,
        fill(texts.used, { time: time(lastUsedAt) }),
        fill(texts.started, { time: time(createdAt) }),
      ]}
      actions={
        !isCurrent && (
          <Button
            onPress={onEnd}
            isDisabled={isEnding}
            aria-label={fill(texts.endOf, { device: facts([device, time(createdAt)]) })}
          >
            {texts.end}
          </Button>
        )
      }
    />
  )
}
