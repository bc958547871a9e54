-- What is stored has a hash and a path; what is not has a reason. A pseudonymised copy has no files: none has a path there,
-- and none a reason.
SELECT *
FROM {{ ref('current_artifacts') }}
WHERE ((status = 'stored' AND (sha256 IS NULL OR path IS NULL)) OR (status <> 'stored' AND reason IS NULL))
  AND EXISTS (SELECT 1 FROM {{ ref('artifacts') }} WHERE path IS NOT NULL OR reason IS NOT NULL)
