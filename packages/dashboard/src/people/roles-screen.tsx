/** Built-in and custom roles. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { NoPermission, Problem } from '../app/problem.tsx'
import { CardBody, Hint } from '../kit/arrangement.tsx'
import { buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { type RoleData, rolesQuery } from './queries.ts'
import { useRoleName } from './use-role-name.ts'

export const RolesScreen = () => {
  const { roles: texts } = useTexts().access
  const { can } = useSession()
  const create = can('ORGANIZATION_CREATE') && (
    <Link to="/people/roles/new" className={buttonClass('primary')}>
      {texts.create}
    </Link>
  )
  return (
    <Screen title={texts.title} aside={create}>
      <p>
        <Link to="/people">{texts.back}</Link>
      </p>
      {can('ORGANIZATION_VIEW') ? <RoleLists /> : <NoPermission />}
    </Screen>
  )
}

const RoleLists = () => {
  const { roles: texts } = useTexts().access
  const { data: roles, error, refetch } = useQuery(rolesQuery)
  if (roles === undefined) {
    return error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />
  }
  const custom = roles.filter(({ isBuiltIn }) => !isBuiltIn)
  return (
    <>
      <Card title={texts.custom}>
        {custom.length === 0 ? (
          <CardBody>
            <Hint>{texts.noneHint}</Hint>
          </CardBody>
        ) : (
          <RoleList roles={custom} />
        )}
      </Card>
      <Card title={texts.builtIn}>
        <RoleList roles={roles.filter(({ isBuiltIn }) => isBuiltIn)} />
      </Card>
    </>
  )
}

const RoleList = ({ roles }: { roles: readonly RoleData[] }) => {
  const { roles: texts } = useTexts().access
  const { plural } = useFormats()
  const nameOf = useRoleName()
  return (
    <ul>
      {roles.map((role) => (
        <ListRow
          key={role.id}
          state={role.memberCount > 0 ? 'ok' : 'none'}
          title={
            <Link to="/people/roles/$id" params={{ id: role.id }}>
              {nameOf(role)}
            </Link>
          }
          facts={[plural(texts.members, role.memberCount), role.description]}
        />
      ))}
    </ul>
  )
}
