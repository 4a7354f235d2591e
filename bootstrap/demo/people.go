package demo

import (
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/user"
)

// handle identifies a person in the tables.
type handle string

const (
	yuan    handle = "Yu'an"
	qing    handle = "Gu Qing"
	ines    handle = "Inés"
	nora    handle = "Nora"
	camille handle = "Camille"
	nagi    handle = "Nagi"
	owen    handle = "Owen"
	seoyun  handle = "Seo-yun"
	vera    handle = "Vera"
	amal    handle = "Amal"
	beatriz handle = "Beatriz"
	meera   handle = "Meera"
	robot   handle = "Plaza Robot"
)

// password is the password of every demo account.
const password = "plaza-demo"

type person struct {
	handle handle
	phone  string
	joined string // in the person's time zone
	staff  bool
	user.Member
}

// people are in the order of joining, which is the order of their uids. Their phone numbers are
// reserved for fiction or can't be assigned.
var people = []person{
	{yuan, "+86-13800000001", "2026-10-01 08:30", false, user.Member{
		Firstname: "予安", Lastname: "沈", Expertise: "植物摄影", Location: "浙江杭州", Timezone: "Asia/Shanghai"}},
	{qing, "+86-13800000002", "2026-10-01 08:45", false, user.Member{
		Firstname: "清", Lastname: "顾", Expertise: "古建筑测绘", Location: "北京", Timezone: "Asia/Shanghai"}},
	{ines, "+34-600000003", "2026-10-01 12:00", false, user.Member{
		Firstname: "Inés", Lastname: "Vidal Montaner", Expertise: "Cerámica", Location: "València, España", Timezone: "Europe/Madrid"}},
	{nora, "+1-2025550104", "2026-10-01 08:00", true, user.Member{
		Firstname: "Nora", Lastname: "Ashcombe", Expertise: "Editing", Location: "Washington, D.C.", Timezone: "America/New_York"}},
	{camille, "+33-639980005", "2026-10-02 07:15", false, user.Member{
		Firstname: "Camille", Lastname: "Rousselin", Expertise: "Boulangerie", Location: "Lyon, France", Timezone: "Europe/Paris"}},
	{nagi, "+81-0000000006", "2026-10-02 20:00", false, user.Member{
		Firstname: "凪", Lastname: "早川", Location: "京都", Timezone: "Asia/Tokyo"}},
	{owen, "+44-2079460107", "2026-10-02 20:10", false, user.Member{
		Firstname: "Owen", Lastname: "Tarleton", Expertise: "Bell ringing", Location: "London", Timezone: "Europe/London"}},
	{seoyun, "+82-0000000008", "2026-10-03 09:00", false, user.Member{
		Firstname: "서윤", Lastname: "한", Expertise: "도서관 사서", Location: "서울", Timezone: "Asia/Seoul"}},
	{vera, "+7-0000000009", "2026-10-03 10:00", false, user.Member{
		Firstname: "Вера", Lastname: "Лесных", Expertise: "Садоводство", Location: "Алматы", Timezone: "Asia/Almaty"}},
	{amal, "+212-000000010", "2026-10-03 11:00", false, user.Member{
		Firstname: "أمل", Lastname: "الزيتوني", Expertise: "الخط العربي", Location: "الرباط", Timezone: "Africa/Casablanca"}},
	{beatriz, "+55-0000000011", "2026-10-03 09:00", false, user.Member{
		Firstname: "Beatriz", Lastname: "Nogueira", Location: "Recife, Brasil", Timezone: "America/Recife"}},
	{meera, "+91-0000000012", "2026-10-03 21:00", false, user.Member{
		Firstname: "मीरा", Lastname: "जोशी", Expertise: "गणित शिक्षण", Location: "पुणे", Timezone: "Asia/Kolkata"}},
	{robot, "+1-2025550113", "2026-11-05 00:00", false, user.Member{
		Firstname: "Plaza", Lastname: "Robot", Expertise: "Importing", Location: "Plaza", Timezone: "UTC"}},
}

// personDraft returns the record of the person. The handle is its source id.
func (p *plan) personDraft(someone person) imported.Draft {
	return imported.UserDraft{
		ID: imported.SourceID(someone.handle), Username: someone.phone,
		Firstname: someone.Firstname, Lastname: someone.Lastname, Expertise: someone.Expertise,
		Location: someone.Location, Timezone: someone.Timezone, Joined: p.joined[someone.handle],
	}
}

// follow is a subscription with its time.
type follow struct {
	who        handle
	at         string // in the person's time zone
	people     []handle
	categories []feed.CategoryID
}

// follows makes yuan and qing, yuan and nagi, qing and seoyun, ines and camille, camille and
// owen, vera and amal contacts of each other. The other subscriptions to users are one-sided:
// ines follows yuan.
var follows = []follow{
	{yuan, "2026-10-01 09:10", []handle{qing}, []feed.CategoryID{tea, mountains}},
	{qing, "2026-10-01 09:20", []handle{yuan}, []feed.CategoryID{buildings}},
	{ines, "2026-10-01 13:30", []handle{yuan}, []feed.CategoryID{clay}},
	{camille, "2026-10-02 09:00", []handle{ines}, []feed.CategoryID{kitchen}},
	{ines, "2026-10-02 11:45", []handle{camille}, nil},
	{nagi, "2026-10-03 07:30", []handle{yuan}, []feed.CategoryID{garden, books}},
	{yuan, "2026-10-03 08:00", []handle{nagi, owen}, []feed.CategoryID{clay}},
	{owen, "2026-10-03 08:20", []handle{camille}, []feed.CategoryID{music}},
	{camille, "2026-10-03 12:40", []handle{owen}, nil},
	{seoyun, "2026-10-03 21:00", []handle{qing, nagi}, []feed.CategoryID{books}},
	{qing, "2026-10-03 22:15", []handle{seoyun}, []feed.CategoryID{cycling}},
	{amal, "2026-10-03 19:00", []handle{vera, ines}, []feed.CategoryID{craft}},
	{vera, "2026-10-04 08:00", []handle{amal}, []feed.CategoryID{garden}},
	{beatriz, "2026-10-04 09:30", []handle{ines, owen}, []feed.CategoryID{water}},
	{meera, "2026-10-04 07:10", []handle{vera}, []feed.CategoryID{neighbours, tea}},
	{nora, "2026-10-05 09:00", nil, []feed.CategoryID{everyday}},
}
