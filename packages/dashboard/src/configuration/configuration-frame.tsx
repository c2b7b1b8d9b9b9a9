/** Title and views of the configuration. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { NoPermission } from '../app/problem.tsx'
import { Screen } from '../kit/screen.tsx'
import { ViewNavigation } from '../kit/view-navigation.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'

const views = [
  { to: '/configuration', text: 'document' },
  { to: '/configuration/versions', text: 'versions' },
  { to: '/configuration/variables', text: 'variables' },
  { to: '/configuration/git-sync', text: 'gitSync' },
] as const

export const ConfigurationFrame = ({ children }: { children: ReactNode }) => {
  const { configuration: texts } = useTexts()
  const { can } = useSession()
  return (
    <Screen title={texts.title} intro={texts.intro}>
      <ViewNavigation label={texts.views.label}>
        {views.map(({ to, text }) => (
          <Link key={to} to={to} activeOptions={{ exact: to === '/configuration' }}>
            {texts.views[text]}
          </Link>
        ))}
      </ViewNavigation>
      {can('CONFIG_VIEW') ? children : <NoPermission />}
    </Screen>
  )
}
