/** Choice of a role that the user may grant. */
import { useQuery } from '@tanstack/react-query'
import { Select } from '../kit/select.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { rolesQuery } from './queries.ts'
import { useRoleName } from './use-role-name.ts'

const OWNER = 'OWNER'

interface RoleSelectProps {
  label?: string
  value: string
  error?: string
  isDisabled?: boolean
  onChange(role: string): void
}

export const RoleSelect = ({ label, value, error, isDisabled, onChange }: RoleSelectProps) => {
  const { people } = useTexts().access
  const { can, organization } = useSession()
  const nameOf = useRoleName()
  const { data: roles = [] } = useQuery(rolesQuery)
  // The service refuses others; the present role remains visible.
  const granted = roles.filter(
    ({ id, permissions }) =>
      id === value || (permissions.every(can) && (id !== OWNER || organization.role === OWNER)),
  )
  return (
    <Select
      label={label ?? people.role}
      options={granted.map((role) => ({ value: role.id, label: nameOf(role) }))}
      value={value}
      error={error}
      isDisabled={isDisabled}
      onChange={onChange}
    />
  )
}
