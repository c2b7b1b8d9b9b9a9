/** Dialogs that change the role of a member, or remove the member. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { membersQuery, meQuery } from '../api/queries.ts'
import { FormDialog } from '../app/form-dialog.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { apiKeysQuery } from '../keys/queries.ts'
import { Select } from '../kit/select.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { type MemberData, rolesQuery } from './queries.ts'
import { RoleSelect } from './role-select.tsx'
import { useRoleName } from './use-role-name.ts'

interface MemberDialogProps {
  member: MemberData
  onClose(): void
  onDone(text: string): void
}

const NO_ONE = ''

export const ChangeRoleDialog = ({ member, onClose, onDone }: MemberDialogProps) => {
  const { people: texts } = useTexts().access
  const { fill } = useFormats()
  const nameOf = useRoleName()
  const refresh = useRefresh(member)
  const [role, setRole] = useState(member.role)
  const [keysTo, setKeysTo] = useState(NO_ONE)
  const change = useMutation({
    mutationFn: async () => {
      const path = { userId: member.userId }
      const body = { role, ...(keysTo !== NO_ONE && { transferKeysTo: keysTo }) }
      return (await api.PATCH('/api/v1/organization/members/{userId}', { params: { path }, body }))
        .data
    },
    onSuccess: (changed) => {
      const name = nameOf({ id: changed.role, name: changed.roleName })
      onDone(fill(texts.changed, { name: changed.name, role: name }))
      onClose()
      return refresh()
    },
  })
  const errors = useFieldErrors(change.error)
  return (
    <FormDialog
      title={fill(texts.changeTitle, { name: member.name })}
      submit={texts.save}
      isIncomplete={role === member.role}
      action={change}
      fieldErrors={errors}
      fields={['role', 'transferKeysTo']}
      onClose={onClose}
    >
      <RoleSelect value={role} error={errors.role} onChange={setRole} />
      <KeysTo member={member} value={keysTo} error={errors.transferKeysTo} onChange={setKeysTo} />
    </FormDialog>
  )
}

export const RemoveMemberDialog = ({ member, onClose, onDone }: MemberDialogProps) => {
  const { people: texts } = useTexts().access
  const { fill } = useFormats()
  const refresh = useRefresh(member)
  const [keysTo, setKeysTo] = useState(NO_ONE)
  const remove = useMutation({
    mutationFn: () => {
      const path = { userId: member.userId }
      const query = keysTo === NO_ONE ? {} : { transferKeysTo: keysTo }
      return api.DELETE('/api/v1/organization/members/{userId}', { params: { path, query } })
    },
    onSuccess: () => {
      onDone(fill(texts.removed, { name: member.name }))
      onClose()
      return refresh()
    },
  })
  const errors = useFieldErrors(remove.error)
  return (
    <FormDialog
      title={fill(texts.removeTitle, { name: member.name })}
      submit={texts.remove}
      emphasis="danger"
      action={remove}
      fieldErrors={errors}
      fields={['transferKeysTo']}
      onClose={onClose}
    >
      <p>{texts.removeHint}</p>
      <KeysTo member={member} value={keysTo} error={errors.transferKeysTo} onChange={setKeysTo} />
    </FormDialog>
  )
}

/** Reads the lists again; a change of the own role concerns every view. */
const useRefresh = ({ userId }: MemberData) => {
  const queryClient = useQueryClient()
  const { user } = useSession()
  return async () => {
    const changed = [
      membersQuery,
      rolesQuery,
      apiKeysQuery(1),
      ...(userId === user.id ? [meQuery] : []),
    ]
    await Promise.all(
      changed.map(({ queryKey }) => queryClient.invalidateQueries({ queryKey: [queryKey[0]] })),
    )
  }
}

interface KeysToProps {
  member: MemberData
  value: string
  error?: string
  onChange(userId: string): void
}

/** Member who takes over the API keys; absent if there are none. */
const KeysTo = ({ member, value, error, onChange }: KeysToProps) => {
  const { people: texts } = useTexts().access
  const { plural } = useFormats()
  const { data: keys } = useQuery(apiKeysQuery(1))
  const { data: members } = useQuery(membersQuery)
  const created = (keys?.data ?? []).filter(
    ({ createdBy, disabledAt }) => createdBy === member.userId && disabledAt === null,
  )
  if (created.length === 0) return null
  const others = (members?.data ?? []).filter(({ userId }) => userId !== member.userId)
  return (
    <>
      <p>{plural(texts.keys, created.length)}</p>
      <Select
        label={texts.keysTo}
        options={[
          { value: NO_ONE, label: texts.keysToNone },
          ...others.map(({ userId, name }) => ({ value: userId, label: name })),
        ]}
        value={value}
        error={error}
        onChange={onChange}
      />
    </>
  )
}
