/** Invitations: the form that sends one, and those that were sent. */

import type { Schemas } from '@status-page/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import { invitationsQuery } from '../api/queries.ts'
import { ConfirmDialog } from '../app/confirm-dialog.tsx'
import { Problem } from '../app/problem.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Actions, CardBody, Hint, InlineFields } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { TextField } from '../kit/field.tsx'
import type { State } from '../kit/icon.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { Note } from '../kit/note.tsx'
import { Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { RoleSelect } from './role-select.tsx'
import { useRoleNameById } from './use-role-name.ts'

type Invitation = Schemas['Invitation']

const DEFAULT_ROLE = 'MEMBER'
const fields = ['email', 'role'] as const

export const InvitationsCard = () => {
  const { people: texts } = useTexts().access
  const { can } = useSession()
  const { fill } = useFormats()
  const [sentTo, setSentTo] = useState<string | null>(null)
  const { data, error, refetch } = useQuery(invitationsQuery)
  return (
    <Card title={texts.invitations}>
      {can('ORGANIZATION_CREATE') && <InviteForm onSent={setSentTo} />}
      {sentTo !== null && (
        <CardBody>
          <Note state="ok">{fill(texts.sent, { email: sentTo })}</Note>
        </CardBody>
      )}
      {data === undefined ? (
        error === null ? (
          <Skeleton rows={2} />
        ) : (
          <Problem error={error} onRetry={refetch} />
        )
      ) : data.data.length === 0 ? (
        <CardBody>
          <Hint>{texts.noInvitations}</Hint>
        </CardBody>
      ) : (
        <ul>
          {data.data.map((invitation) => (
            <InvitationRow key={invitation.id} invitation={invitation} onSent={setSentTo} />
          ))}
        </ul>
      )}
    </Card>
  )
}

const InviteForm = ({ onSent }: Pick<InvitationRowProps, 'onSent'>) => {
  const { people: texts } = useTexts().access
  const queryClient = useQueryClient()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState(DEFAULT_ROLE)
  const invite = useMutation({
    mutationFn: async () =>
      (await api.POST('/api/v1/organization/invitations', { body: { email, role } })).data,
    onSuccess: (invitation) => {
      onSent(invitation.email)
      setEmail('')
      return queryClient.invalidateQueries(invitationsQuery)
    },
  })
  const errors = useFieldErrors(invite.error, { uniqueField: 'email' })
  return (
    <CardBody>
      <Form
        onSubmit={(event) => {
          event.preventDefault()
          invite.mutate()
        }}
      >
        <InlineFields>
          <TextField
            label={texts.email}
            error={errors.email}
            value={email}
            onChange={setEmail}
            type="email"
            maxLength={254}
            autoComplete="off"
            isRequired
          />
          <RoleSelect value={role} error={errors.role} onChange={setRole} />
          <Button type="submit" emphasis="primary" isDisabled={invite.isPending || email === ''}>
            {texts.send}
          </Button>
        </InlineFields>
      </Form>
      <Hint>{texts.inviteHint}</Hint>
      <ProblemNote error={invite.error} fieldErrors={errors} fields={fields} />
    </CardBody>
  )
}

const states: Record<Invitation['status'], State> = {
  pending: 'work',
  accepted: 'ok',
  expired: 'none',
}

interface InvitationRowProps {
  invitation: Invitation
  onSent(email: string): void
}

const InvitationRow = ({ invitation, onSent }: InvitationRowProps) => {
  const { people: texts } = useTexts().access
  const { fill, time } = useFormats()
  const { can } = useSession()
  const roleNameOf = useRoleNameById()
  const { email, role, status, expiresAt } = invitation
  return (
    <ListRow
      state={states[status]}
      title={email}
      facts={[
        roleNameOf(role),
        texts.status[status],
        status === 'pending' ? fill(texts.validUntil, { time: time(expiresAt) }) : null,
      ]}
      actions={
        status !== 'accepted' && (
          <Actions>
            {can('ORGANIZATION_CREATE') && <ResendButton invitation={invitation} onSent={onSent} />}
            {can('ORGANIZATION_DELETE') && <WithdrawButton invitation={invitation} />}
          </Actions>
        )
      }
    />
  )
}

const ResendButton = ({ invitation: { id, email }, onSent }: InvitationRowProps) => {
  const { people: texts } = useTexts().access
  const { labelled } = useFormats()
  const queryClient = useQueryClient()
  const resend = useMutation({
    mutationFn: () => {
      const params = { path: { id } }
      return api.POST('/api/v1/organization/invitations/{id}/resend', { params })
    },
    onSuccess: () => onSent(email),
    onSettled: () => queryClient.invalidateQueries(invitationsQuery),
  })
  return (
    <>
      <Button
        onPress={() => resend.mutate()}
        isDisabled={resend.isPending}
        aria-label={labelled(texts.resend, email)}
      >
        {texts.resend}
      </Button>
      <ProblemNote error={resend.error} />
    </>
  )
}

const WithdrawButton = ({ invitation: { id, email } }: Pick<InvitationRowProps, 'invitation'>) => {
  const { people: texts } = useTexts().access
  const { fill, labelled } = useFormats()
  const queryClient = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const withdraw = useMutation({
    mutationFn: () => {
      const params = { path: { id } }
      return api.DELETE('/api/v1/organization/invitations/{id}', { params })
    },
    onSuccess: () => queryClient.invalidateQueries(invitationsQuery),
  })
  return (
    <>
      <Button
        emphasis="danger"
        onPress={() => setOpen(true)}
        aria-label={labelled(texts.withdraw, email)}
      >
        {texts.withdraw}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={fill(texts.withdrawTitle, { email })}
          confirm={texts.withdraw}
          action={withdraw}
          onClose={() => setOpen(false)}
        >
          <p>{texts.withdrawHint}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
