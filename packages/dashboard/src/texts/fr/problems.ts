/** French texts of problems that requests have. */
import type { problems as model } from '../en/problems.ts'

export const problems: typeof model = {
  required: 'Cette valeur est obligatoire',
  tooShort: 'Au moins {limit} caractères',
  tooLong: 'Au plus {limit} caractères',
  tooSmall: 'Au moins {limit}',
  tooLarge: 'Au plus {limit}',
  tooMany: 'Au plus {limit} entrées',
  url: 'Une URL complète est requise, par exemple https://example.com',
  email: 'Une adresse e-mail est requise, par exemple nom@example.com',
  phone: 'Un numéro de téléphone avec l’indicatif du pays est requis, par exemple +14155550123',
  domain: 'Un nom de domaine est requis, par exemple example.com',
  invalid: 'Cette valeur n’est pas valide ({detail})',
  duplicate: 'Cette valeur est déjà utilisée ({detail})',
  refused: 'L’action est impossible ({detail})',
  field: '{field}\u00a0: {problem}',
  gone: 'L’élément n’existe plus ou n’appartient pas à votre organisation.',
  unavailable: 'Le service n’est pas disponible pour le moment. Réessayez dans un instant.',
  failed:
    'Une erreur inattendue s’est produite. Réessayez\u00a0; si l’erreur persiste, signalez-la.',
  bodyTooLarge: 'Le contenu est trop volumineux.',
}
