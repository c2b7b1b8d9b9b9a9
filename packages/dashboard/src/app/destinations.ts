/** Views that the navigation and the palette offer, in groups. */
import type { Right } from '@status-page/contracts'
import type { IconName } from '../kit/icon.tsx'
import type { Texts } from '../texts/en/index.ts'

type NavigationTexts = Texts['navigation']

interface ItemModel {
  to: string
  icon: IconName
  text: Exclude<keyof NavigationTexts, 'groups'>
  /** Right that the view needs; null if everybody may open it. */
  right: Right | null
  /** Whether the bar of a phone has a place for it; `More` opens the others. */
  isOnBar?: true
}

interface GroupModel {
  /** Null for the group at the top, which has no heading. */
  heading: keyof NavigationTexts['groups'] | null
  destinations: readonly ItemModel[]
}

export const destinationGroups = [
  {
    heading: null,
    destinations: [
      { to: '/start', icon: 'start', text: 'start', right: null },
      { to: '/', icon: 'overview', text: 'overview', right: null, isOnBar: true },
      {
        to: '/incidents',
        icon: 'incident',
        text: 'incidents',
        right: 'INCIDENTS_VIEW',
        isOnBar: true,
      },
      {
        to: '/components',
        icon: 'components',
        text: 'components',
        right: 'COMPONENTS_VIEW',
        isOnBar: true,
      },
    ],
  },
  {
    heading: 'communication',
    destinations: [
      { to: '/pages', icon: 'page', text: 'pages', right: 'STATUS_PAGES_VIEW' },
      { to: '/maintenances', icon: 'calendar', text: 'maintenances', right: 'MAINTENANCES_VIEW' },
      { to: '/subscribers', icon: 'users', text: 'subscribers', right: 'SUBSCRIBERS_VIEW' },
      { to: '/channels', icon: 'megaphone', text: 'channels', right: 'NOTIFICATIONS_VIEW' },
      { to: '/deliveries', icon: 'envelope', text: 'deliveries', right: 'NOTIFICATIONS_VIEW' },
    ],
  },
  {
    heading: 'reliability',
    destinations: [
      { to: '/on-call', icon: 'bell', text: 'onCall', right: 'ONCALL_VIEW' },
      { to: '/service-levels', icon: 'gauge', text: 'serviceLevels', right: 'SLA_VIEW' },
    ],
  },
  {
    heading: 'settings',
    destinations: [
      { to: '/people', icon: 'users', text: 'people', right: 'ORGANIZATION_VIEW' },
      { to: '/keys', icon: 'key', text: 'keys', right: 'ORGANIZATION_VIEW' },
      { to: '/locations', icon: 'pin', text: 'locations', right: 'ORGANIZATION_VIEW' },
      { to: '/integrations', icon: 'plug', text: 'integrations', right: 'INTEGRATIONS_VIEW' },
      { to: '/configuration', icon: 'code', text: 'configuration', right: 'CONFIG_VIEW' },
      { to: '/organization', icon: 'building', text: 'organization', right: 'ORGANIZATION_VIEW' },
      { to: '/audit', icon: 'list', text: 'auditLog', right: 'AUDIT_VIEW' },
    ],
  },
] as const satisfies readonly GroupModel[]

export type NavigationGroup = (typeof destinationGroups)[number]
export type NavigationItem = NavigationGroup['destinations'][number]
