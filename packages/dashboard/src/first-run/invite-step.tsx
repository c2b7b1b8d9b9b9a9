/** Step: invitations of colleagues. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import { invitationsQuery } from '../api/queries.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Button } from '../kit/button.tsx'
import { TextField } from '../kit/field.tsx'
import { type State, StateMark } from '../kit/icon.tsx'
import { RoleSelect } from '../people/role-select.tsx'
import { useRoleNameById } from '../people/use-role-name.ts'
import { useTexts } from '../texts/texts.tsx'
import classes from './first-run.module.css'

const fields = ['email', 'role'] as const

export const InviteStep = () => {
  const texts = useTexts().firstRun.invite
  const queryClient = useQueryClient()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState('MEMBER')
  const invite = useMutation({
    mutationFn: () => api.POST('/api/v1/organization/invitations', { body: { email, role } }),
    onSuccess: () => {
      setEmail('')
      return queryClient.invalidateQueries(invitationsQuery)
    },
  })
  const errors = useFieldErrors(invite.error, { uniqueField: 'email' })
  return (
    <div className={classes.form}>
      <Form
        className={classes.inline}
        onSubmit={(event) => {
          event.preventDefault()
          invite.mutate()
        }}
      >
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
      </Form>
      <ProblemNote error={invite.error} fieldErrors={errors} fields={fields} />
      <Invitations />
    </div>
  )
}

const invitationStates: Record<string, State> = { pending: 'work', accepted: 'ok', expired: 'none' }

const Invitations = () => {
  const texts = useTexts().firstRun.invite
  const roleNameOf = useRoleNameById()
  const { data } = useQuery(invitationsQuery)
  if (data === undefined || data.data.length === 0) return null
  return (
    <section>
      <h3 className={classes.listTitle}>{texts.invited}</h3>
      <ul className={classes.rows}>
        {data.data.map(({ id, email, role, status }) => (
          <li key={id} className={classes.row}>
            <StateMark state={invitationStates[status] ?? 'none'} />
            <span className={classes.rowText}>
              <bdi>{email}</bdi>
            </span>
            <span className={classes.fact}>
              {roleNameOf(role)} · {texts[status]}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
