/** French texts of the vendors that components follow. */
import type { vendor as model } from '../en/vendor.ts'

export const vendor: typeof model = {
  title: 'Rapport du fournisseur',
  pending: 'La page est en cours de lecture.',
  noData: 'Aucune donnée',
  url: 'Page de statut du fournisseur',
  urlHint:
    'Adresse d’une page de statut (Statuspage, incident.io, Instatus et autres), de son JSON ou d’un flux RSS ou Atom\u00a0; vide\u00a0: aucune',
  component: 'Composant du fournisseur',
  componentHint: 'Nom ou identifiant\u00a0; vide\u00a0: toute la page',
  mode: 'Effet du rapport',
  modes: {
    mirror: 'Reprendre le statut',
    draft: 'Préparer un incident',
    note: 'Afficher seulement',
  },
  modeHints: {
    mirror: 'Le statut du composant suit celui du fournisseur.',
    draft:
      'Une perturbation chez le fournisseur crée un brouillon d’incident\u00a0; les pages de statut n’affichent pas le rapport.',
    note: 'Les pages de statut affichent le rapport à côté du composant\u00a0; son statut ne change pas.',
  },
  errors: {
    blocked: 'L’adresse n’est pas publique',
    dns_error: 'Le nom d’hôte est introuvable',
    connect_error: 'Le serveur refuse les connexions',
    tls_error: 'Le certificat n’est pas valide',
    protocol_error: 'La réponse n’est pas valide',
    timeout: 'Pas de réponse à temps',
    too_large: 'Le document dépasse 2 Mio',
    too_complex: 'Le document est trop complexe',
    too_many_redirects: 'Trop de redirections',
    error_response: 'Le serveur a répondu par une erreur',
    unknown_format: 'Le format du document est inconnu',
    component_not_found: 'La page n’a pas ce composant',
  },
}
