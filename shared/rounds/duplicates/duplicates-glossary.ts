/**
 * Synonyms in English, German, French, Spanish and Portuguese, because models mix these languages. Words are in lower case
 * and without accents; `*` matches any ending. Each line is one concept, named by its first word.
 */

/** Names of defects. Two claims that share such a name are likely about the same defect. */
export const DEFECTS = `
null null nil none undefined npe nullpointer* nulo nula nul null-pointer nonnull bang nullzeiger dereferenc* unwrap
overflow overflow* uberlauf* debord* desbord* estour* wraps wrap wrapped wraparound
bounds out-of-bounds off-by-one depassement pufferuberlauf* buffer-overflow
injection inject* inyec* injec* injekt* concaten* interpolat* parameteris* parameteriz* placeholder* prepared bind binds bound-value unescap* escap* echapp* maskier* metacharacter* crlf xss html htmlspecialchars sanitis* sanitiz* unsanitis* unsanitiz* dangerouslysetinnerhtml markup browser* sonder*
ssrf ssrf internal interno* interne* intern metadata
traversal traversal dotdot outside escape-root
race race racy concurren* concorren* atomic* synchronis* synchroniz* unsynchron* nebenlauf* wettlauf* carrera corrida threadsafe thread-safe lost-update
deadlock deadlock* interbloc* verklemm*
leak leak* dangling close* closed unclosed clos ferm* cerr* cierr* fech* geschlossen schliess* fclose fuite* fuga* vazamento* offen
await await* async* promise* fire-and-forget awaiting asynchron* abgewartet
endless endless* endlos* infinit* infini* forever unbounded unlimited
limit limit* cap caps capped maximum max obergrenze borne* plafonn* grenze begrenz* bounded clamp unbounded unlimited maxim*
timeout timeout* time-out deadline
credentials password* passwor* passwort* kennwort* contrasen* senha* credential* secret* geheim*
logging log logs logged logging protokoll* journalis*
timing constant-time variable-time timing* timingsafe*
tls tls ssl https certificat* zertifikat* mitm encrypt* unencrypt* cifrar verschlussel* http
deserialise deserial* unserial* pickl* unpickl* instantiat*
ignored ignor* discard* drop dropp* lost lose los swallow* unnotic* silent* silencio* verworf* verlor* perdid* descart* unseen vanish* catch-all verschluck* unhandl* gobbl* bemerk* unreport*
zero-division zerodivision* division divisio* divid* modulo
random random* rand predict* guess* zufall* vorherseh* previsib* predecib* aleator* securerandom entropy
hashing md5 bcrypt argon* unsalted
authorisation authoris* authoriz* permission* ownership idor privileg* berechtig* autoris* autoriz* zugriffsrecht* rights droits
authentication authentic* unauthentic* anonym* signed-in
rounding float* round* cents precis* decimal bigdecimal
n-plus-one n-plus-one eager* preload* prefetch* lazi* round-trip
mutation mutat* in-place modif* alter*
copying clon* copy copies copied copying borrow*
twice twice idempot* doppelt double* billed
casting cast casts assert* zod schema
command shell command* subprocess kommando* comando* commande*
timezone timezone* time-zone naiv* utc
memory memory* speicher* memoire* memoria gigabyte*
quadratic quadratic* linear*
pinning pin pins pinn* latest digest reproducib*
transaction rollback rolled-back transact* zuruckgerollt
interrupt interrupt* unterbrech*
default default* vorgabe* standardargument*
dependency depend*
fallthrough break fall* fallthrough
quoting quot* word-splitting blanks spaces
unique unique* unicid* duplicat* eindeutig*
idle sleep* duration*
mass-assignment mass-assignment massenzuweis* permit* strong-parameters protected
redirect redirect* redirig* weiterleit* redirec*
upload upload* executable*
redos redos backtrack* catastroph* retour-arriere
regex regex* regular-expression* pattern* motif* muster*
debug debug* verbos* stack-trace* traceback*
index index* indic*
needless needless* unnecessar* superflu* redundan* unused
lock lock locks locked verrou* mutex unlock* gesperrt sperr* bloqu*
comparison compar* equalit* equal equals igualdad*
free freed free libera* release*
cancellation cancel* shutdown stopp* done
expiry expir* ttl evict* ablauf*
root root uid unprivileg* nonroot
paging paging pagin* page pages offset
exposed expos* reachab* public publish* accesib* acessi*
allocation malloc alloc* reserve* allocat*
bytes nanosecond* unit
`;

/** Verbs and objects of code. They have more weight than fillers, but less weight than defects. */
export const ACTIONS = `
check check* unchecked uberpruf* compro* controle validat* valid* verif* unverif* prufen gepruft pruf* invalid*
delete delet* remov* wip* empt* eras* destro* purg* losch* geloscht supprim* elimin* borra* remov* apag*
send send sends sent sending deliver* versend* gesendet envi* envo*
read read reads reading load* gelesen lies lit* lect* ler
write write writes written writing stor* sav* persist* schreib* gespeichert speicher* ecri* enregistr* escri* guard* grav*
create creat* build* built mak* erzeug* cre* crea*
run run runs running execut* start* started lauf* ausgefuhr* ejecut* execut* lanc*
block block* wait* hang* stuck synchronous* wart* attend* attente esper* trava*
expose expos* show* visible display* affich* angezeigt mostr*
replace overwrit* replac* uberschreib* ecras* sobrescrib*
change chang* modif* alter* edit* andert*
stop stop* continu* carri* angehalten arret* deten* parar
money money amount* price* total* pay* paid betrag* preis* montant* prix importe* precio* preco* valor
need need* requir* mandatory
request-data param* form formular* query-string
loop loop* iterat* schleife boucle* bucle* laco
row row* record* zeile* ligne* fila* linha*
column column* field* attribut* spalte* colon* campo*
table table* tabelle* tabla*
name name* nam*
address address* adress* direc* endereco* url* uri host*
file file* datei* fichier* archiv* arquiv*
connection connect* verbindung* connex* conex* socket*
`;

/** Words that occur in every kind of claim. */
export const COMMON = `
failure error* fail* fehler* erreur* erro erros echec* falla* falha* exception* problem*
crash crash* panic* throw* thrown abort* rais* absturz* panik* plant* lanza* bricht
missing miss* lack* forgott* absen* fehlend* manqu* falt* ausen* never
use use used uses using verwend* utilis* usa usar nutz*
user user* client* visitor* attacker* anyone anybody somebody benutz* utilisateur* usuari* kunde* client
input input* untrust* eingab* entrad* outside outsid*
call call* ruft aufruf* llam*
request request* anfrag* requet* petici* reques*
server server* serveur* servid*
value value* wert* valeur* valor*
set set sets setting*
return return* retourn* devuel* retorn*
`;
