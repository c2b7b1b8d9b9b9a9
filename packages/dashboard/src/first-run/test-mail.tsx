/** Test mail to the user, with the result of its delivery. */
import type { Schemas } from '@status-page/client'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { Problem } from '../app/problem.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { Button } from '../kit/button.tsx'
import { Note } from '../kit/note.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './first-run.module.css'

type Delivery = Schemas['Delivery']

const POLL_INTERVAL_MS = 1_000
const TEST_EVENT = 'account.test-requested'

export const TestMail = () => {
  const texts = useTexts().firstRun.mail
  const { can } = useSession()
  const send = useMutation({
    mutationFn: async () => (await api.POST('/api/v1/auth/email/test')).data.requestedAt,
  })
  return (
    <>
      <div className={classes.actions}>
        <Button onPress={() => send.mutate()} isDisabled={send.isPending}>
          {texts.sendTest}
        </Button>
      </div>
      <ProblemNote error={send.error} />
      {send.data !== undefined && can('NOTIFICATIONS_VIEW') && (
        <DeliveryNote requestedAt={send.data} />
      )}
    </>
  )
}

const DeliveryNote = ({ requestedAt }: { requestedAt: string }) => {
  const texts = useTexts().firstRun.mail
  const { data: delivery, error } = useQuery(testDeliveryQuery(requestedAt))
  if (error !== null) return <Problem error={error} />
  if (delivery === undefined || delivery === null) return <Note state="work">{texts.pending}</Note>
  if (delivery.state === 'delivered') return <Note state="ok">{texts.delivered}</Note>
  return (
    <Note state={isFinal(delivery) ? 'down' : 'work'}>
      {isFinal(delivery) ? texts.undelivered : texts.pending}
      <DeliveryFacts delivery={delivery} />
    </Note>
  )
}

/** Reason and reply of the mail server as they are, for the operator who corrects the settings. */
const DeliveryFacts = ({ delivery: { reason, attempts } }: { delivery: Delivery }) => {
  const { hasNoServer } = useTexts().firstRun.mail
  const last = attempts?.at(-1)
  const facts = [reason, last?.outcome, last?.error].filter((fact) => typeof fact === 'string')
  return (
    <>
      {reason === 'no_transport' && <p>{hasNoServer}</p>}
      {facts.length > 0 && (
        <p className={classes.fact} dir="ltr">
          {facts.join(' · ')}
        </p>
      )}
    </>
  )
}

const finalStates: readonly Delivery['state'][] = ['exhausted', 'cancelled', 'suppressed']
const isFinal = ({ state }: Delivery): boolean => finalStates.includes(state)

const testDeliveryQuery = (requestedAt: string) =>
  queryOptions({
    queryKey: ['test-mail', requestedAt],
    queryFn: async ({ signal }): Promise<Delivery | null> => {
      const query = { event: TEST_EVENT, from: requestedAt, pageSize: 1 } as const
      const { data } = await api.GET('/api/v1/notifications', { params: { query }, signal })
      const [delivery] = data.data
      if (delivery === undefined) return null
      const path = { id: delivery.id }
      return (await api.GET('/api/v1/notifications/{id}', { params: { path }, signal })).data
    },
    refetchInterval: ({ state: { data } }) => {
      const isEnded = data != null && (data.state === 'delivered' || isFinal(data))
      return isEnded ? false : POLL_INTERVAL_MS
    },
  })
