/** Settings, data and deletion of the organization. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { NoPermission, Problem } from '../app/problem.tsx'
import { buttonClass } from '../kit/button.tsx'
import { Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { DeletionNote } from './deletion-note.tsx'
import { OrganizationDataCard } from './organization-data-card.tsx'
import { organizationQuery } from './queries.ts'
import { SettingsForm } from './settings-form.tsx'

export const OrganizationScreen = () => {
  const { settings: texts } = useTexts().organizationScreens
  const { can } = useSession()
  const ssoLink = (
    <Link to="/organization/sso" className={buttonClass()}>
      {texts.sso}
    </Link>
  )
  return (
    <Screen title={texts.title} aside={ssoLink}>
      {can('ORGANIZATION_VIEW') ? <Content /> : <NoPermission />}
    </Screen>
  )
}

const Content = () => {
  const { organization: session } = useSession()
  const { data: organization, error, refetch } = useQuery(organizationQuery)
  if (organization === undefined) {
    return error === null ? <Skeleton rows={6} /> : <Problem error={error} onRetry={refetch} />
  }
  const isOwner = session.role === 'OWNER'
  return (
    <>
      <DeletionNote organization={organization} isOwner={isOwner} />
      <SettingsForm organization={organization} />
      {isOwner && <OrganizationDataCard organization={organization} />}
    </>
  )
}
