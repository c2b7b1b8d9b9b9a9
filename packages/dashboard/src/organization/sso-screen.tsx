/** Single sign-on: values for the identity provider, its metadata, and verified domains. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { basePath, dashboardPath, pathBelowBase } from '../api/client.ts'
import { NoPermission, Problem } from '../app/problem.tsx'
import { Actions, CardBody, Hint } from '../kit/arrangement.tsx'
import { buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { CopyField } from '../kit/copy-field.tsx'
import { Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { DomainsCard } from './domains-card.tsx'
import { ProviderCard } from './provider-card.tsx'
import { providerQuery } from './queries.ts'

export const SsoScreen = () => {
  const { sso: texts } = useTexts().organizationScreens
  const { can } = useSession()
  return (
    <Screen title={texts.title} intro={texts.intro}>
      <p>
        <Link to="/organization">{texts.back}</Link>
      </p>
      {can('ORGANIZATION_VIEW') ? <Content /> : <NoPermission />}
    </Screen>
  )
}

const Content = () => {
  const { data: provider, error, refetch } = useQuery(providerQuery)
  if (provider === undefined) {
    return error === null ? <Skeleton rows={6} /> : <Problem error={error} onRetry={refetch} />
  }
  return (
    <>
      <ServiceCard isEnabled={provider?.isEnabled ?? false} />
      <ProviderCard provider={provider} />
      <DomainsCard />
    </>
  )
}

/** Addresses of this service, which the provider needs before its own metadata exist. */
const ServiceCard = ({ isEnabled }: { isEnabled: boolean }) => {
  const { sso: texts } = useTexts().organizationScreens
  const { organization } = useSession()
  const path = `${basePath}/api/v1/auth/saml/${encodeURIComponent(organization.slug)}`
  const next = encodeURIComponent(pathBelowBase(`${dashboardPath}/organization/sso`))
  return (
    <Card title={texts.service}>
      <CardBody>
        <CopyField label={texts.metadataUrl} value={`${location.origin}${path}/metadata`} />
        <CopyField label={texts.acsUrl} value={`${location.origin}${path}/acs`} />
      </CardBody>
      {isEnabled && (
        <CardBody>
          <Hint>{texts.testHint}</Hint>
          <Actions>
            <a
              className={buttonClass()}
              href={`${path}/login?next=${next}`}
              target="_blank"
              rel="noopener"
            >
              {texts.test}
            </a>
          </Actions>
        </CardBody>
      )}
    </Card>
  )
}
