/** Members of the organization, and the invitations of further ones. */
import { getRouteApi, Link } from '@tanstack/react-router'
import { NoPermission } from '../app/problem.tsx'
import { buttonClass } from '../kit/button.tsx'
import { Screen } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { InvitationsCard } from './invitations-card.tsx'
import { MembersCard } from './members-card.tsx'

const route = getRouteApi('/people')

export const PeopleScreen = () => {
  const { people: texts } = useTexts().access
  const { can } = useSession()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const rolesLink = (
    <Link to="/people/roles" className={buttonClass()}>
      {texts.roles}
    </Link>
  )
  if (!can('ORGANIZATION_VIEW')) {
    return (
      <Screen title={texts.title}>
        <NoPermission />
      </Screen>
    )
  }
  return (
    <Screen title={texts.title} aside={rolesLink}>
      <MembersCard
        search={search}
        onChange={(next) => void navigate({ search: next, replace: true })}
      />
      <InvitationsCard />
    </Screen>
  )
}
