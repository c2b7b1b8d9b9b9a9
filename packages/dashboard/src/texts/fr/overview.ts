/** French texts of the overview. */
import type { overview as model } from '../en/overview.ts'

export const overview: typeof model = {
  title: 'Vue d’ensemble',
  updated: 'Mis à jour\u00a0: {time}',
  calm: 'Tous les composants sont opérationnels',
  disrupted: {
    one: '{count} composant est perturbé',
    other: '{count} composants sont perturbés',
  },
  noComponents: 'Il n’y a pas encore de composants',
  noComponentsHint:
    'Les composants sont le contenu de votre page de statut\u00a0: services, points de terminaison et métriques.',
  setUp: 'Continuer la configuration',
  none: 'Aucun élément',
  clear: 'Rien en attente',
  incidents: 'Incidents ouverts',
  overdue: {
    one: '{count} mise à jour est en retard',
    other: '{count} mises à jour sont en retard',
  },
  updateOverdue: 'Mise à jour en retard depuis {time}',
  nextUpdate: 'Prochaine mise à jour\u00a0: {time}',
  since: 'Depuis {time}',
  disruptedComponents: 'Composants perturbés',
  alerts: 'Alertes non acquittées',
  drafts: 'Brouillons d’incidents',
  publishes: 'Publication\u00a0: {time}',
  notPublished: 'Pas encore publié',
  publish: 'Publier',
  veto: 'Rejeter',
  maintenances: 'Maintenances',
  starts: 'Début\u00a0: {time}',
  ends: 'Fin\u00a0: {time}',
  deliveries: 'Notifications',
  pending: {
    one: '{count} notification est en attente',
    other: '{count} notifications sont en attente',
  },
  oldestPending: 'La plus ancienne depuis {time}',
  exhausted: {
    one: '{count} notification a échoué en 24 heures',
    other: '{count} notifications ont échoué en 24 heures',
  },
  deliveriesUnknown: 'Le service de notification ne répond pas.',
  serviceLevels: 'Niveaux de service',
  breached: 'Non respecté',
  atRisk: 'Menacé',
  more: { one: '{count} autre', other: '{count} autres' },
}
