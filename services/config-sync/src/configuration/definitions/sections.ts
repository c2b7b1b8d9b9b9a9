/** Kinds of resources that a document can contain besides components and integrations. */
import { type TObject, Type } from '@sinclair/typebox'
import {
  ChannelDefinitionPatch,
  channelCreated,
  channelDeleted,
  channelUpdated,
  definitionChanged,
  IncidentTemplatePatch,
  MaintenanceTemplatePatch,
  NewChannelDefinition,
  NewIncidentTemplate,
  NewMaintenanceTemplate,
  NewOncallSchedule,
  NewSla,
  NewStatusPage,
  OncallSchedulePatch,
  SlaPatch,
  StatusPagePatch,
  statusPageCreated,
  statusPageDeleted,
  statusPageUpdated,
} from '@status-page/contracts'
import { pagePasswordDigest } from '@status-page/secrets'
import { channelConfig } from '../typed-config.ts'
import { completeSchedule } from './schedules.ts'
import { type Section, sectionOf } from './section.ts'
import { completePage } from './status-pages.ts'

/** Fields of a channel in a document; a new type would be another channel. */
const ChannelEntry = Type.Object({
  name: NewChannelDefinition.properties.name,
  type: NewChannelDefinition.properties.type,
  ...(ChannelDefinitionPatch as unknown as TObject).properties,
})

/** Maximum number of entries of a section. */
const MAX_ENTRIES = 200

/** Sections of a document besides components and integrations, in the order of an export. */
export const sections: readonly Section[] = [
  sectionOf({
    key: 'statusPages',
    resourceType: 'status_page',
    plural: 'status pages',
    permission: 'status-pages:write',
    events: [statusPageCreated, statusPageUpdated, statusPageDeleted],
    identity: 'slug',
    maximum: MAX_ENTRIES,
    create: NewStatusPage,
    patch: StatusPagePatch,
    secret: { field: 'password', digestOf: pagePasswordDigest },
    complete: completePage,
  }),
  sectionOf({
    key: 'incidentTemplates',
    resourceType: 'incident_template',
    plural: 'incident templates',
    permission: 'incidents:write',
    events: [definitionChanged],
    identity: 'name',
    maximum: MAX_ENTRIES,
    create: NewIncidentTemplate,
    patch: IncidentTemplatePatch,
    defaults: { message: '', status: 'investigating', impact: 'minor' },
  }),
  sectionOf({
    key: 'maintenanceTemplates',
    resourceType: 'maintenance_template',
    plural: 'maintenance templates',
    permission: 'maintenances:write',
    events: [definitionChanged],
    identity: 'name',
    maximum: MAX_ENTRIES,
    create: NewMaintenanceTemplate,
    patch: MaintenanceTemplatePatch,
  }),
  sectionOf({
    key: 'slas',
    resourceType: 'sla',
    plural: 'service levels',
    permission: 'sla:write',
    events: [definitionChanged],
    identity: 'name',
    maximum: MAX_ENTRIES,
    create: NewSla,
    patch: SlaPatch,
  }),
  sectionOf({
    key: 'notificationChannels',
    resourceType: 'notification_channel',
    owner: 'notifier',
    plural: 'notification channels',
    permission: 'notifications:write',
    events: [channelCreated, channelUpdated, channelDeleted],
    identity: 'name',
    maximum: MAX_ENTRIES,
    create: NewChannelDefinition,
    patch: ChannelEntry,
    config: channelConfig,
  }),
  sectionOf({
    key: 'oncallSchedules',
    resourceType: 'oncall_schedule',
    plural: 'on-call schedules',
    permission: 'oncall:write',
    events: [definitionChanged],
    identity: 'name',
    maximum: MAX_ENTRIES,
    create: NewOncallSchedule,
    patch: OncallSchedulePatch,
    complete: completeSchedule,
  }),
]
