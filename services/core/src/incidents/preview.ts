/**
 * Audience preview of an incident: applies the rules of creation, stores nothing, and queries the
 * notifier.
 */
import { audienceOperations, incidentPreviewOperations } from '@status-page/contracts'
import { type Client, createRoutes, type Route } from '@status-page/service'
import { findListedComponents } from './changes.ts'
import { toIncidentInput } from './create-input.ts'
import { incidentSourceOf, openIncident } from './rules.ts'
import { bodyWithTemplate } from './templates/use.ts'
import { previewIncidentEvent } from './view.ts'

export const incidentPreviewRoutes = (deps: { baseUrl: string; notifier: Client }): Route[] =>
  createRoutes(incidentPreviewOperations, {
    previewAudience: async ({ body, read, actor, caller, requestId }) => {
      const incident = await read(async (scope) => {
        const filled = await bodyWithTemplate(scope, body)
        const input = toIncidentInput(filled, scope, incidentSourceOf(actor.type))
        const decision = openIncident(input, await findListedComponents(scope, filled), scope.now)
        const notifySubscribers = filled.notifySubscribers ?? !decision.isSilent
        return previewIncidentEvent(scope, decision, { notifySubscribers, baseUrl: deps.baseUrl })
      })
      return deps.notifier.call(audienceOperations.preview, {
        body: { incident },
        caller,
        requestId,
      })
    },
  })
