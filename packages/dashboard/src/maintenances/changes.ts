/** Writes of a maintenance that refer to its version. */
import type { MaintenanceStatus } from '@status-page/contracts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { ifMatch, isVersionMismatch } from '../api/versions.ts'
import { type MaintenanceData, maintenanceQuery } from './queries.ts'

interface UpdateInput {
  status?: MaintenanceStatus
  message?: string
}

export const postUpdate = ({ id, version }: MaintenanceData, body: UpdateInput) => {
  const params = { path: { id }, header: { 'If-Match': ifMatch(version) } }
  return api.POST('/api/v1/maintenances/{id}/updates', { params, body })
}

export const extendUntil = ({ id, version }: MaintenanceData, scheduledUntil: string) => {
  const params = { path: { id }, header: { 'If-Match': ifMatch(version) } }
  return api.PATCH('/api/v1/maintenances/{id}', { params, body: { scheduledUntil } })
}

export interface Cancellation {
  reason: string
  notifySubscribers: boolean
}

/** The contract has no text for the cancellation itself: the reason is an update before it. */
export const cancelWithReason = async (
  maintenance: MaintenanceData,
  { reason, notifySubscribers }: Cancellation,
) => {
  const path = { id: maintenance.id }
  let { version } = maintenance
  const body = {
    ...(reason.trim() !== '' && reason !== maintenance.message && { message: reason }),
    ...(notifySubscribers !== maintenance.notifySubscribers && { notifySubscribers }),
  }
  if (Object.keys(body).length > 0) {
    const params = { path, header: { 'If-Match': ifMatch(version) } }
    version = (await api.PATCH('/api/v1/maintenances/{id}', { params, body })).data.version
  }
  const params = { path, header: { 'If-Match': ifMatch(version) } }
  return api.DELETE('/api/v1/maintenances/{id}', { params })
}

/** After a conflict the present version is read, so that the next attempt refers to it. */
export const useMaintenanceChange = <Input>(
  { id }: MaintenanceData,
  { change, onChanged }: { change(input: Input): Promise<unknown>; onChanged(): void },
) => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: () => {
      onChanged()
      void queryClient.invalidateQueries({ queryKey: ['overview'] })
      return queryClient.invalidateQueries({ queryKey: ['maintenances'] })
    },
    onError: (error) => {
      if (isVersionMismatch(error)) void queryClient.invalidateQueries(maintenanceQuery(id))
    },
  })
}
