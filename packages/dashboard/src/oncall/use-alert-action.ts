/** Acknowledgement and resolution of alerts, from the overview and from the views of on-call. */
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { overviewQuery } from '../api/queries.ts'
import { withoutEntry } from '../overview/without-entry.ts'
import { alertQuery, alertsKey, type OnCallAlert } from './queries.ts'

export interface AlertAction {
  id: string
  action: 'acknowledge' | 'resolve'
}

export type AlertMutation = UseMutationResult<OnCallAlert, Error, AlertAction>

/** The overview lists unacknowledged alerts, so that each action removes the alert from it. */
export const useAlertAction = (): AlertMutation => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, action }: AlertAction) =>
      (await api.POST(`/api/v1/oncall/alerts/{id}/${action}`, { params: { path: { id } } })).data,
    onSuccess: (alert, { id }) => {
      queryClient.setQueryData(alertQuery(id).queryKey, alert)
      queryClient.setQueryData(
        overviewQuery.queryKey,
        (overview) => overview && withoutEntry(overview, 'alerts', id),
      )
    },
    onSettled: () => {
      void queryClient.invalidateQueries(overviewQuery)
      return queryClient.invalidateQueries({ queryKey: alertsKey })
    },
  })
}
