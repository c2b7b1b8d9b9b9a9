/** One role with its permissions; a custom one can be changed and deleted. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import { meQuery } from '../api/queries.ts'
import { ConfirmDialog } from '../app/confirm-dialog.tsx'
import { NoPermission, Problem } from '../app/problem.tsx'
import { Button } from '../kit/button.tsx'
import { Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { type RoleData, roleQuery, rolesQuery } from './queries.ts'
import { emptyRole, RoleForm, type RoleValues } from './role-form.tsx'
import { useRoleName } from './use-role-name.ts'

export const NewRoleScreen = () => {
  const { roles: texts } = useTexts().access
  const { can } = useSession()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const create = useMutation({
    mutationFn: async (fields: RoleValues) =>
      (await api.POST('/api/v1/organization/roles', { body: bodyOf(fields) })).data,
    onSuccess: async () => {
      await queryClient.invalidateQueries(rolesQuery)
    },
  })
  return (
    <RoleFrame title={texts.create}>
      {can('ORGANIZATION_CREATE') ? (
        <RoleForm
          name="role.new"
          role={emptyRole}
          isReadOnly={false}
          write={(fields) => create.mutateAsync(fields)}
          onSaved={() => void navigate({ to: '/people/roles' })}
        />
      ) : (
        <NoPermission />
      )}
    </RoleFrame>
  )
}

const bodyOf = ({ description, ...fields }: RoleValues) => ({
  ...fields,
  description: description.trim() === '' ? null : description,
})

const RoleFrame = (props: { title: string; aside?: ReactNode; children: ReactNode }) => {
  const { roles: texts } = useTexts().access
  return (
    <Screen title={props.title} aside={props.aside}>
      <p>
        <Link to="/people/roles">{texts.title}</Link>
      </p>
      {props.children}
    </Screen>
  )
}

export const RoleScreen = () => {
  const { id } = useParams({ from: '/people/roles/$id' })
  const { roles: texts } = useTexts().access
  const { data: role, error, refetch } = useQuery(roleQuery(id))
  if (role !== undefined) return <RoleView key={id} role={role} />
  return (
    <RoleFrame title={texts.title}>
      {error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />}
    </RoleFrame>
  )
}

const RoleView = ({ role }: { role: RoleData }) => {
  const { can } = useSession()
  const nameOf = useRoleName()
  const queryClient = useQueryClient()
  const { id, name, description, permissions, isBuiltIn } = role
  return (
    <RoleFrame
      title={nameOf(role)}
      aside={!isBuiltIn && can('ORGANIZATION_DELETE') && <DeleteRole role={role} />}
    >
      <RoleForm
        name={`role.${id}`}
        role={{ name, description: description ?? '', permissions }}
        isReadOnly={isBuiltIn || !can('ORGANIZATION_UPDATE')}
        isBuiltIn={isBuiltIn}
        write={(fields) => {
          const params = { path: { id } }
          return api.PATCH('/api/v1/organization/roles/{id}', { params, body: bodyOf(fields) })
        }}
        onSaved={() => {
          void queryClient.invalidateQueries(meQuery)
          void queryClient.invalidateQueries({ queryKey: rolesQuery.queryKey })
        }}
      />
    </RoleFrame>
  )
}

const DeleteRole = ({ role: { id, name } }: { role: RoleData }) => {
  const { roles: texts } = useTexts().access
  const { fill } = useFormats()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const remove = useMutation({
    mutationFn: () => api.DELETE('/api/v1/organization/roles/{id}', { params: { path: { id } } }),
    onSuccess: async () => {
      await navigate({ to: '/people/roles' })
      queryClient.removeQueries(roleQuery(id))
      await queryClient.invalidateQueries(rolesQuery)
    },
  })
  return (
    <>
      <Button emphasis="danger" onPress={() => setOpen(true)}>
        {texts.delete}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={fill(texts.deleteTitle, { name })}
          confirm={texts.delete}
          action={remove}
          onClose={() => setOpen(false)}
        >
          <p>{texts.deleteHint}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
