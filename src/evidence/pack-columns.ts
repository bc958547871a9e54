/** What README.txt says of columns that a reader could take for more than they say. */

export const COLUMNS_SECTION = `WHAT THE COLUMNS MEAN

One word per question: a session is never called complete.

index.csv, of each session:
  date                 when its first job in the pack was asked, or it was created
  jobs                 how many of its jobs are in the pack
  jobs_in_session      how many the archive has; a search or a period may choose fewer
  gaps                 rows of gaps.csv of the session as a whole and of its jobs in the
                       pack; jobs that were left out have rows of their own there
  history_read_to_end  whether the list of its jobs was read to its end. It says nothing
                       of files (gaps), of jobs that are not in the pack, or of answers
                       that may still change (items.csv, "unsettled")
  at_the_service       "yes" while the service lists it; else since when it does not, or
                       that it was deleted from it. It stays in the archive
  on_hold              whether a hold is on it now

summary.csv, of each user:
  file_places          places in answers that show a table or an image, as items.csv has
                       them; "tables, images" above counts each file once
  file_places_stored   those of them whose file is in the pack
  first_exported_at, last_exported_at   when the first and the last of what is here of the
                       user was archived. A later run that found nothing new is not in it:
                       "last_listed_at" is when all sessions of the user were listed last

items.csv, status:
  history_read_to_end, history_not_read_to_end   of a session: as in index.csv
  settled, unsettled   of a job: whether its answer had stopped changing
  stored               of a file: it is in the pack; any other word is why it is not
  lost                 of a file: the archive had it, and has it no more, or damaged
  superseded           of a session or a job: an older version of it

`;
